// The desk's keys. Without this script everything works with Tab and Enter.
const typing = (el) => el instanceof HTMLElement && el.matches("input,textarea,select");

// One digit a table; the cursor goes on to the next empty one.
document.addEventListener("input", (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || !box.classList.contains("key") || !box.value) return;
  if (!/^[1-6]$/.test(box.value)) {
    box.value = "";
    return;
  }
  const boxes = [...document.querySelectorAll("input.key")];
  const next = boxes.slice(boxes.indexOf(box) + 1).find((one) => !one.value);
  next?.focus();
});

document.addEventListener("keydown", (event) => {
  const box = event.target;
  if (box instanceof HTMLInputElement && box.classList.contains("key")) {
    const boxes = [...document.querySelectorAll("input.key")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      boxes[boxes.indexOf(box) + step]?.focus();
    }
    return;
  }
  if (!typing(box) && event.key === "/") {
    event.preventDefault();
    document.querySelector(".hd input[name=table]")?.focus();
  }
});

// Two at once would be two acts: a form is sent once.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method === "get") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "1";
});
