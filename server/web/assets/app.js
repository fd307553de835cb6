// Keeps a page as it is now: one stream of events, clocks that run between them, the board, replay.
// Pages are complete without it.
const doc = document, body = doc.body, main = doc.querySelector('main');
const $ = (q, e = doc) => e.querySelector(q), $$ = (q, e = doc) => [...e.querySelectorAll(q)];
const zh = doc.documentElement.lang !== 'en', word = w => w ? w[zh ? 0 : 1] : '';
const text = (e, t) => { if (e && e.textContent !== t) e.textContent = t; };
const still = matchMedia('(prefers-reduced-motion:reduce)');

// ---- Venue time: the server's, run on between its messages at the venue's own speed.
let now0, t0 = 0, speed = +body.dataset.speed || 1;
const now = () => now0 + (performance.now() - t0) * speed;
const setNow = ms => { now0 = ms; t0 = performance.now(); };

// ---- Clocks. What stands in data-r, data-b was so at data-at; the side of data-run has lost time since.
const two = n => String(n).padStart(2, '0');
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
  for (const t of $$('[data-age]')) text(t, mmss(Math.max(0, now() - t.dataset.age)));
}
setInterval(clocks, Math.max(50, 250 / speed));
function setClocks(g, k) {
  Object.assign(g.dataset, { r: k.r, b: k.b, at: k.at, run: k.run || '', est: k.est ? 1 : '' });
  g.r = g.b = 0;
}

// ---- The board. Points are h2: file, rank.
const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR';
const cells = fen => fen.replace(/\d/g, n => '.'.repeat(n)).replace(/\//g, '');
const at = p => (9 - p[1]) * 9 + p.charCodeAt(0) - 97;
function moved(fen, mv) {
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
function setBoard(b, o) {
  for (const n of ['fen', 'last', 'check']) o[n] ? b.setAttribute(n, o[n]) : b.removeAttribute(n);
}
const general = g => g.check ? (g.turn === 'red' ? 'K' : 'k') : 0;

// ---- One game.
const game = $('[data-game]'), board = game && $('xq-board', game);
const plies = () => $$('#moves a'), steps = game && $('.rp');
let ply, live, playing;
function position(n) {
  let fen = START;
  for (const a of plies().slice(0, n)) fen = a.dataset.f || moved(fen, a.dataset.m);
  return fen;
}
function show(n, travel) {
  const all = plies(), a = all[n - 1];
  ply = n = Math.max(0, Math.min(n, all.length));
  board.travel = travel;
  setBoard(board, { fen: position(n), last: a && a.dataset.m, check: a && 'c' in a.dataset ? (n % 2 ? 'k' : 'K') : 0 });
  $('svg', board).setAttribute('aria-label', `${a ? a.firstChild.data : ''} ${$('#word').textContent}`);
  for (const b of $$('#moves [aria-current]')) b.removeAttribute('aria-current');
  const list = $('.list');
  if (!a) list.scrollTop = 0;
  else {
    a.setAttribute('aria-current', 'true');
    const r = a.getBoundingClientRect(), l = list.getBoundingClientRect();
    if (r.bottom > l.bottom) list.scrollTop += r.bottom - l.bottom;
    if (r.top < l.top) list.scrollTop += r.top - l.top;
  }
  const lv = $('[data-step=live]');
  if (lv) {
    live ? lv.setAttribute('aria-current', 'true') : lv.removeAttribute('aria-current');
    text($('#behind'), live || n === all.length ? '' : '+' + (all.length - n));
  }
  const q = new URLSearchParams(location.search);
  live || (game.dataset.state === 'done' && n === all.length) ? q.delete('ply') : q.set('ply', n);
  history.replaceState(null, '', '?' + q);
}
function play(on) {
  clearInterval(playing);
  playing = 0;
  const b = $('[data-step=play]');
  if (!b) return;
  b.start ||= b.textContent;
  text(b, on ? b.dataset.stop : b.start);
  if (!on) return;
  if (ply >= plies().length) show(0);
  playing = setInterval(() => ply < plies().length ? show(ply + 1, 1) : play(0), 1000);
}
function step(key) {
  const end = plies().length;
  if (key === 'flip') {
    board.toggleAttribute('flip');
    for (const s of $$('.seat')) s.classList.toggle('far'), s.classList.toggle('near');
    return;
  }
  if (key === 'play') return play(!playing);
  play(0);
  live = key === 'live';
  show({ first: 0, prev: ply - 1, next: ply + 1, last: end, live: end }[key], key === 'next');
}
function plyLink(p, i) {
  const a = doc.createElement('a');
  a.href = '?ply=' + (i + 1);
  a.dataset.m = p.mv;
  if (p.check) a.dataset.c = '';
  if (p.fen !== moved(position(i), p.mv)) a.dataset.f = p.fen;
  if (p.odd) a.className = 'ir';
  a.append(game.dataset.notation === 'zh' ? p.zh : p.wxf);
  if (p.odd) a.append(Object.assign(doc.createElement('small'), { textContent: zh ? '待核' : 'check' }));
  if (p.ms != null) {
    const s = p.ms / 1000 | 0;
    a.append(Object.assign(doc.createElement('em'), { textContent: s < 60 ? s + '″' : `${s / 60 | 0}′${two(s % 60)}″` }));
  }
  return a;
}
function onGame(g) {
  const first = g.n - g.tail.length, had = plies();
  let h = 0;
  for (const a of had.slice(0, first)) for (const c of a.dataset.m) h = Math.imul(h, 31) + c.charCodeAt(0) >>> 0;
  // Something is missing, or was set right further back.
  if (had.length < first || h !== g.h) return refresh();
  const grown = g.n > had.length;
  for (const a of had.slice(first)) a.remove();
  const list = $('#moves');
  while (list.children.length > Math.ceil(first / 2)) list.lastChild.remove();
  g.tail.forEach((p, j) => {
    const i = first + j;
    if (i % 2 === 0) {
      const li = doc.createElement('li');
      li.append(Object.assign(doc.createElement('span'), { className: 'no', textContent: i / 2 + 1 }));
      list.append(li);
    }
    const a = plyLink(p, i);
    list.lastChild.append(a);
  });
  game.dataset.state = g.is;
  setClocks(game, g.k);
  text($('#word'), word(g.word));
  for (const s of $$('.seat')) s.classList.toggle('turn', g.is === 'live' && s.dataset.side === g.turn);
  $('.bd-ck').hidden = !g.check || g.is === 'done';
  $('.bd-up').hidden = g.up;
  const res = $('.bd-res'), lim = $('.bd-lim');
  res.hidden = !g.result;
  text(res, word(g.result));
  if (lim) {
    const l = +lim.dataset.limit;
    text($('span', lim), `${g.quiet}/${l}`);
    $('progress', lim).value = g.quiet;
    lim.classList.toggle('near', g.quiet + 5 >= l);
  }
  text($('#fouls'), zh ? `红 ${g.fouls[0]} · 黑 ${g.fouls[1]}` : `Red ${g.fouls[0]} · Black ${g.fouls[1]}`);
  const p = g.tail.at(-1);
  if (grown && p) text($('#say'), (zh ? [g.n % 2 ? '红方' : '黑方', p.zh, g.check && '将军'] : [g.n % 2 ? 'Red' : 'Black', p.wxf, g.check && 'check']).filter(Boolean).join(zh ? '，' : ', '));
  if (g.result) text($('#say'), word(g.result)), soon();
  show(live || (ply >= had.length && !grown) ? g.n : ply, grown);
}
if (game) {
  ply = +(new URLSearchParams(location.search).get('ply') ?? plies().length);
  live = !location.search.includes('ply=') && game.dataset.state !== 'done';
  if (live) $('.list').scrollTop = 1e6;
  steps.addEventListener('click', e => {
    const a = e.target.closest('[data-step]');
    if (a && !e.ctrlKey && !e.metaKey) e.preventDefault(), step(a.dataset.step);
  });
  $('.list').addEventListener('click', e => {
    const a = e.target.closest('#moves a');
    if (a && !e.ctrlKey && !e.metaKey) e.preventDefault(), play(0), live = false, show(plies().indexOf(a) + 1);
  });
  doc.addEventListener('keydown', e => {
    const key = { ArrowLeft: 'prev', ArrowRight: 'next', Home: 'first', End: 'last', f: 'flip', F: 'flip' }[e.key];
    if (key && !e.ctrlKey && !e.metaKey && !e.altKey && !/INPUT|TEXTAREA/.test(e.target.tagName)) e.preventDefault(), step(key);
  });
}

// ---- Lists and grids.
const STATES = ['todo', 'live', 'pend', 'done'];
function onRound(lines) {
  for (const l of lines) for (const row of $$(`[data-row="${l.t}"]`)) {
    // A game began, ended or waits for a ruling: counts and standings around it changed too.
    if (!row.classList.contains(l.is)) soon();
    row.classList.remove(...STATES);
    row.classList.add(l.is);
    l.win ? row.dataset.win = l.win : delete row.dataset.win;
    text($('[data-big]', row), word(l.big));
    text($('[data-small]', row), word(l.small));
    text($('[data-side-word]', row), word(l.is === 'done' ? l.small : l.big));
    if (l.is === 'done' || l.is === 'pend') text($('[data-score]', row), word(l.big).replace('–', ' : '));
  }
}
function onGrid(tiles) {
  for (const t of tiles) for (const cell of $$(`[data-tile="${t.t}"]`)) {
    cell.classList.remove(...STATES);
    cell.classList.add(t.is);
    setBoard($('xq-board', cell), { fen: t.fen, last: t.last, check: t.check ? (t.turn === 'red' ? 'K' : 'k') : 0 });
    setClocks(cell, t.k);
    text($('[data-n]', cell), zh ? t.n + '回合' : t.n + ' moves');
    const tag = $('.tg', cell);
    text(tag, word(t.tag && t.tag.word));
    tag.classList.toggle('tg-ck', !!(t.tag && t.tag.check));
    text($('.rs', cell), word(t.result));
  }
}

// ---- What has no event of its own is fetched again: the page's marked parts, soon, but not all viewers at once.
let due, busy;
function soon() {
  due ||= setTimeout(refresh, 200 + Math.random() * 800);
}
async function refresh() {
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
      if ($('details[open]', old)) { body.dataset.held = 1; soon(); continue; }
      delete body.dataset.held;
      old.replaceWith(part);
    }
    const moves = $('#moves', next);
    if (game && moves) {
      $('#moves').replaceWith(moves);
      for (const k of ['state', 'r', 'b', 'at', 'run']) game.dataset[k] = $('[data-game]', next).dataset[k];
      text($('#word'), $('#word', next).textContent);
      show(live ? 1e4 : ply);
    }
    turn(0);
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
  on('game', g => game && onGame(g));
  on('round', onRound);
  on('grid', onGrid);
  on('notice', soon);
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

// ---- The hall's screen: its sheets take turns.
let sheet = 0;
function turn(by) {
  const sheets = $$('.sheet');
  if (!sheets.length) return;
  sheet = (sheet + by) % sheets.length;
  sheets.forEach((s, i) => s.hidden = i !== sheet);
  if (by && !sheet) soon();
}
const screen = $('[data-turn]');
if (screen) setInterval(() => turn(1), screen.dataset.turn * 1000);
