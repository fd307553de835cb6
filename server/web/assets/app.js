// Keeps a page as it is now: one stream of events, clocks that run between them, the board, replay.
// Pages are complete without it; game.js and lists.js add what their pages show.
export const doc = document, body = doc.body;
export const $ = (q, e = doc) => e.querySelector(q), $$ = (q, e = doc) => [...e.querySelectorAll(q)];
export const zh = doc.documentElement.lang !== 'en', word = w => w ? w[zh ? 0 : 1] : '';
export const text = (e, t) => { if (e && e.textContent !== t) e.textContent = t; };
export const still = matchMedia('(prefers-reduced-motion:reduce)');

// ---- Venue time: the server's, run on between its messages at the venue's own speed.
let now0, t0 = 0, speed = +body.dataset.speed || 1;
const now = () => now0 + (performance.now() - t0) * speed;
const setNow = ms => { now0 = ms; t0 = performance.now(); };

// ---- Clocks. What stands in data-r, data-b was so at data-at; the side of data-run has lost time since.
export const two = n => String(n).padStart(2, '0');
const mmss = ms => {
  const s = Math.ceil(ms / 1000), h = s / 3600 | 0;
  return (h ? h + ':' : '') + two((s / 60 | 0) % 60) + ':' + two(s % 60);
};
function clocks() {
  if (now0 === undefined) return;
  for (const g of $$('[data-run]')) {
    const d = g.dataset;
    for (const [key, side] of [['r', 'red'], ['b', 'black']]) {
      const on = d.run === side;
      if (!on && g[key] === d[key] + d.run) continue;
      g[key] = d[key] + d.run;
      const left = Math.max(0, d[key] - (on ? Math.max(0, now() - d.at) : 0));
      for (const t of $$(`time[data-k=${key}]`, g)) {
        text(t, mmss(left));
        t.classList.toggle('on', on);
        t.classList.toggle('low', left < 6e4);
        t.classList.toggle('flag', !left);
        t.classList.toggle('est', d.est === '1');
      }
    }
  }
  for (const t of $$('[data-until]')) text(t, mmss(Math.max(0, t.dataset.until - now())));
  for (const t of $$('[data-age]')) text(t, mmss(Math.max(0, now() - t.dataset.age)));
}
setInterval(clocks, Math.max(100, 250 / speed));
export function setClocks(g, k) {
  Object.assign(g.dataset, { r: k.r, b: k.b, at: k.at, run: k.run || '', est: k.est ? 1 : '' });
  g.r = g.b = 0;
}

// ---- The board. Points are h2: file, rank.
export const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR';
const cells = fen => fen.replace(/\d/g, n => '.'.repeat(n)).replace(/\//g, '');
const at = p => (9 - p[1]) * 9 + p.charCodeAt(0) - 97;
export function moved(fen, mv) {
  const c = [...cells(fen)], from = at(mv), to = at(mv.slice(2));
  c[to] = c[from];
  c[from] = '.';
  return c.join('').match(/.{9}/g).join('/').replace(/\.+/g, s => s.length);
}
const dir = new URL('.', import.meta.url).href;
customElements.define('xq-board', class extends HTMLElement {
  static observedAttributes = ['fen', 'last', 'check', 'flip', 'pieces'];
  attributeChangedCallback(_, was, is) {
    if (this.isConnected && was !== is && !this.due) {
      this.due = 1;
      queueMicrotask(() => { this.due = 0; this.draw(); });
    }
  }
  xy(i) {
    const x = i % 9 * 100, y = (i / 9 | 0) * 100;
    return this.hasAttribute('flip') ? [800 - x, 900 - y] : [x, y];
  }
  draw() {
    const a = n => this.getAttribute(n), fen = cells(a('fen')), thumb = this.hasAttribute('thumb');
    const last = a('last'), king = a('check') ? fen.indexOf(a('check')) : -1;
    const corners = ([x, y], s, m) => [[-1, -1], [-1, 1], [1, -1], [1, 1]].map(([i, j]) =>
      `M${x + i * s} ${y + j * (s - m)}v${j * m}h${-i * m}`).join('');
    let mk = '', pc = '', to = -1, from;
    if (last) {
      from = this.xy(at(last));
      to = at(last.slice(2));
      mk = `<circle class="fr" cx="${from[0]}" cy="${from[1]}" r="${thumb ? 15 : 11}"/>` +
        (thumb ? '' : `<path d="${corners(from, 34, 14)}"/>`) + `<path class="to" d="${corners(this.xy(to), 50, 20)}"/>`;
    }
    if (king >= 0) {
      const [x, y] = this.xy(king);
      mk += `<circle class="ck1" cx="${x}" cy="${y}" r="51"/>` + (thumb ? '' : `<circle class="ck2" cx="${x}" cy="${y}" r="62"/>`);
    }
    for (let i = 0; i < 90; i++) {
      const c = fen[i], l = c.toLowerCase(), [x, y] = this.xy(i);
      if (c !== '.') pc += `<image href="${dir}${a('pieces')}/${c === l ? 'b' : 'r'}${l}.svg" x="${x - 50}" y="${y - 50}" width="100" height="100"${i === to ? ' id="mover"' : ''}/>`;
    }
    $('.mk', this).innerHTML = mk;
    $('.pc', this).innerHTML = pc;
    if (thumb) return;
    $('image', this).setAttribute('href', `${dir}board${this.hasAttribute('flip') ? '-flip' : ''}.svg`);
    // Only a move that was just played travels, only here.
    if (this.travel && from && !still.matches) {
      const [x, y] = this.xy(to), mover = $('#mover', this);
      if (mover) mover.animate([{ transform: `translate(${from[0] - x}px,${from[1] - y}px)` }, { transform: 'none' }], { duration: 180, easing: 'cubic-bezier(.2,.7,.2,1)' });
    }
    this.travel = 0;
  }
});
export function setBoard(b, o) {
  for (const n of ['fen', 'last', 'check']) o[n] ? b.setAttribute(n, o[n]) : b.removeAttribute(n);
}

// ---- What has no event of its own is fetched again: the page's marked parts, soon, but not all viewers at once.
export const afresh = [];
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
    const topics = next.body.dataset.live;
    if (topics !== body.dataset.live) {
      body.dataset.live = topics;
      last = next.body.dataset.mark;
      close();
      open();
    }
  } catch { soon(); } finally { busy = 0; }
}

// ---- The stream. Absolute state in every frame; whoever missed some is given them, or told to look again.
export const hears = { notice: soon };
let es, last = body.dataset.mark, heard = 0, again, wait = 0;
function open() {
  clearTimeout(again);
  if (es || doc.hidden || !body.dataset.live) return;
  es = new EventSource(`/events?topic=${body.dataset.live}&after=${last}`);
  const on = (name, f) => es.addEventListener(name, e => {
    heard = Date.now();
    if (e.lastEventId) last = e.lastEventId;
    f(JSON.parse(e.data));
  });
  on('hello', h => { speed = h.speed; setNow(h.now); body.dataset.net = 'up'; wait = 0; });
  // The message that was least under way shows the time best.
  on('t', t => { if (t > now()) setNow(t); });
  // By name, not by function: a script that comes late is heard too.
  for (const name of ['game', 'round', 'grid', 'notice']) on(name, data => hears[name]?.(data));
  on('resync', refresh);
  es.onerror = lost;
  heard = Date.now();
}
function close() {
  if (es) es.close();
  es = null;
}
function lost() {
  close();
  body.dataset.net = 'down';
  text($('#asof'), new Date(heard).toTimeString().slice(0, 8));
  wait = Math.min(15000, wait * 1.5 + 1000);
  again = setTimeout(open, wait * (.5 + Math.random()));
}
// A connection that died without a word: the server says something every fifteen seconds.
setInterval(() => { if (es && Date.now() - heard > 40000) lost(); }, 5000);
doc.addEventListener('visibilitychange', () => doc.hidden ? close() : open());
addEventListener('pagehide', close);
addEventListener('pageshow', open);
setTimeout(open);
