// Fetches the page again and puts in its marked parts: soon, but not all viewers at once.
import { $, $$, afresh, body, follow } from './app.js';

let due, busy;
export function soon() {
  due ||= setTimeout(refresh, 200 + Math.random() * 800);
}
export async function refresh() {
  clearTimeout(due);
  due = 0;
  if (busy) return soon();
  busy = 1;
  try {
    const answer = await fetch(location.href), next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (!answer.ok) return;
    for (const part of $$('[data-part]', next)) {
      const old = $(`[data-part="${part.dataset.part}"]`);
      if (!old || old.outerHTML === part.outerHTML) continue;
      // Nothing moves under a hand that is at work.
      if ($('details[open]', old)) { body.dataset.held = 1; setTimeout(soon, 5000); continue; }
      delete body.dataset.held;
      old.replaceWith(part);
    }
    for (const f of afresh) f(next);
    follow(next.body.dataset.live, next.body.dataset.mark);
  } catch { soon(); } finally { busy = 0; }
}
