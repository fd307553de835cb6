// Keeps a page as it is now: one stream of events, clocks that run between them, the board.
// Pages are complete without it; game.js and lists.js add what their pages show, fresh.js and replay.js come when needed.
export const doc = document, body = doc.body;
export const $ = (q, e = doc) => e.querySelector(q), $$ = (q, e = doc) => [...e.querySelectorAll(q)];
export const zh = doc.documentElement.lang !== 'en', word = w => w ? w[zh ? 0 : 1] : '';
export const text = (e, t) => { if (e && e.textContent !== t) e.textContent = t; };

// ---- Venue time: the server's, run on between its messages at the venue's own speed.
let now0, t0 = 0, speed = +body.dataset.speed || 1;
export const now = () => now0 + (performance.now() - t0) * speed;
const setNow = ms => { now0 = ms; t0 = performance.now(); };

// ---- Clocks. What stands in data-r, data-b was so at data-at; the side of data-run has lost time since.
const two = n => String(n).padStart(2, '0');
export const mmss = ms => {
  const s = Math.ceil(ms / 1000), h = s / 3600 | 0;
  return (h ? h + ':' : '') + two((s / 60 | 0) % 60) + ':' + two(s % 60);
};
// What else a page counts.
export const ticks = [];
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
        for (const [name, is] of [['on', on], ['low', left < 6e4], ['flag', !left], ['est', d.est === '1']]) t.classList.toggle(name, is);
      }
    }
  }
  for (const f of ticks) f();
}
setInterval(clocks, Math.max(100, 250 / speed));
export function setClocks(g, k) {
  Object.assign(g.dataset, { r: k.r, b: k.b, at: k.at, run: k.run || '', est: k.est ? 1 : '' });
  g.r = g.b = 0;
}

// ---- The board. Points are h2: file, rank.
export const cells = fen => fen.replace(/\d/g, n => '.'.repeat(n)).replace(/\//g, '');
export const at = p => (9 - p[1]) * 9 + p.charCodeAt(0) - 97;
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
    const a = n => this.getAttribute(n), fen = cells(a('fen')), last = a('last');
    const from = last ? at(last) : -1, to = last ? at(last.slice(2)) : -1;
    [from, to, a('check') ? fen.indexOf(a('check')) : -1].forEach((i, n) => {
      const mark = $('.mk', this).children[n];
      mark.toggleAttribute('hidden', i < 0);
      mark.setAttribute('transform', `translate(${this.xy(i)})`);
    });
    let pc = '';
    for (let i = 0; i < 90; i++) {
      const c = fen[i], l = c.toLowerCase(), [x, y] = this.xy(i);
      if (c !== '.') pc += `<image href="${dir}${a('pieces')}/${c === l ? 'b' : 'r'}${l}.svg" x="${x - 50}" y="${y - 50}" width="100" height="100"${i === to ? ' id="mover"' : ''}/>`;
    }
    $('.pc', this).innerHTML = pc;
    if (this.hasAttribute('thumb')) return;
    $('image', this).setAttribute('href', `${dir}board${this.hasAttribute('flip') ? '-flip' : ''}.svg`);
    // Only a move that was just played travels, only here.
    const [x, y] = this.xy(to), [fx, fy] = this.xy(from), mover = $('#mover', this);
    if (this.travel && mover && !matchMedia('(prefers-reduced-motion:reduce)').matches)
      mover.animate([{ transform: `translate(${fx - x}px,${fy - y}px)` }, { transform: 'none' }], { duration: 180, easing: 'cubic-bezier(.2,.7,.2,1)' });
    this.travel = 0;
  }
});
export function setBoard(b, o) {
  for (const n of ['fen', 'last', 'check']) o[n] ? b.setAttribute(n, o[n]) : b.removeAttribute(n);
}

// ---- What has no event of its own is fetched again, by fresh.js; `afresh`: what else pages do with the new page.
export const afresh = [];
const fresh = f => import('./fresh.js').then(m => m[f](), () => setTimeout(fresh, 5e3, f));
export const soon = () => fresh('soon'), refresh = () => fresh('refresh');

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
// Follows other topics, from a page's mark on.
export function follow(topics, mark) {
  if (topics === body.dataset.live) return;
  body.dataset.live = topics;
  last = mark;
  close();
  open();
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
