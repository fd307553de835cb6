// One game: the board follows its moves, or a reader who goes through them.
import { $, $$, START, afresh, doc, hears, moved, refresh, setBoard, setClocks, soon, text, two, word, zh } from './app.js';

const game = $('[data-game]'), board = $('xq-board', game);
const plies = () => $$('#moves a'), steps = $('.rp');
// What scrolls: the moves alone where the facts have a place of their own.
const scroller = () => getComputedStyle($('.list')).display === 'contents' ? $('#moves') : $('.list');
let ply, live, playing;
function position(n) {
  let fen = START;
  for (const a of plies().slice(0, n)) fen = a.dataset.f || moved(fen, a.dataset.m);
  return fen;
}
function show(n, travel) {
  const all = plies();
  ply = n = Math.max(0, Math.min(n, all.length));
  const a = all[n - 1];
  board.travel = travel;
  setBoard(board, { fen: position(n), last: a && a.dataset.m, check: a && 'c' in a.dataset ? (n % 2 ? 'k' : 'K') : 0 });
  $('svg', board).setAttribute('aria-label', `${a ? a.firstChild.data : ''} ${$('#word').textContent}`);
  mark();
  const list = scroller();
  if (!a) list.scrollTop = 0;
  else {
    const r = a.getBoundingClientRect(), l = list.getBoundingClientRect();
    if (r.bottom > l.bottom) list.scrollTop += r.bottom - l.bottom;
    if (r.top < l.top) list.scrollTop += r.top - l.top;
  }
  const q = new URLSearchParams(location.search);
  live || (game.dataset.state === 'done' && n === all.length) ? q.delete('ply') : q.set('ply', n);
  history.replaceState(null, '', '?' + q);
}
// Marks the ply on the board in the list, and says how far behind the game it is.
function mark() {
  const all = plies();
  for (const b of $$('#moves [aria-current]')) b.removeAttribute('aria-current');
  if (all[ply - 1]) all[ply - 1].setAttribute('aria-current', 'true');
  const lv = $('[data-step=live]');
  if (!lv) return;
  live ? lv.setAttribute('aria-current', 'true') : lv.removeAttribute('aria-current');
  text($('#behind'), live || ply === all.length ? '' : '+' + (all.length - ply));
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
  a.append(p[game.dataset.notation] || (p.mv.slice(0, 2) + '-' + p.mv.slice(2)).toUpperCase());
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
  if (g.notes !== +game.dataset.notes) game.dataset.notes = g.notes, soon();
  // Whoever goes through the game is not thrown back by its next move.
  live ? show(g.n, grown) : mark();
}
ply = +(new URLSearchParams(location.search).get('ply') ?? plies().length);
live = !location.search.includes('ply=') && game.dataset.state !== 'done';
mark();
const here = $('#moves [aria-current]'), list = scroller();
if (here) list.scrollTop += here.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom;
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
hears.game = onGame;
afresh.push(next => {
  const was = $('#moves'), is = $('#moves', next);
  if (was.textContent !== is.textContent) was.replaceWith(is);
  for (const k of ['state', 'r', 'b', 'at', 'run']) game.dataset[k] = $('[data-game]', next).dataset[k];
  text($('#word'), $('#word', next).textContent);
  live ? show(plies().length) : mark();
});
// The list of the other games, on wide screens.
if ($('.tl')) import('./lists.js');
