// One game: the board follows its moves. Whoever goes through them instead has replay.js loaded.
import { $, $$, afresh, doc, hears, refresh, setBoard, setClocks, soon, text, word, zh } from './app.js';

// The moves are listed from ply `from` on.
export const game = $('[data-game]'), board = $('xq-board', game), plies = () => $$('#moves a'), from = () => +$('#moves').dataset.first;
// The moves as text: h2e2, or h2e2+ if it gives check.
export const moves = () => $('#moves').dataset.played.match(/\w{4}\+?/g) || [];
game.men = board.getAttribute('fen').replace(/[\d/]/g, '').length;
// The ply on the board, and whether it is whatever is the last one.
export const here = { ply: moves().length, live: !$('[data-step=play]') };
const asked = new URLSearchParams(location.search).get('ply');
if (asked !== null) here.ply = +asked, here.live = false;

export function show(ply, position, travel) {
  here.ply = ply;
  board.travel = travel;
  setBoard(board, position);
  const a = mark();
  $('svg', board).setAttribute('aria-label', `${a ? a.firstChild.data : ''} ${$('#word').textContent}`);
}
// Marks the ply on the board in the list, and says how far behind the game it is.
export function mark() {
  const all = moves().length, a = plies()[here.ply - 1 - from()], lv = $('[data-step=live]');
  // What scrolls: the moves alone where the facts have a place of their own.
  const list = getComputedStyle($('.list')).display === 'contents' ? $('#moves') : $('.list');
  for (const b of $$('#moves [aria-current]')) b.removeAttribute('aria-current');
  if (a) {
    a.setAttribute('aria-current', 'true');
    const r = a.getBoundingClientRect(), l = list.getBoundingClientRect();
    list.scrollTop += Math.max(0, r.bottom - l.bottom) + Math.min(0, r.top - l.top);
  } else list.scrollTop = 0;
  if (lv) {
    here.live ? lv.setAttribute('aria-current', 'true') : lv.removeAttribute('aria-current');
    text($('#behind'), here.live || here.ply === all ? '' : '+' + (all - here.ply));
  }
  return a;
}
const made = (tag, t) => Object.assign(doc.createElement(tag), { textContent: t });
function plyLink(p, i) {
  const a = made('a', p[game.dataset.notation]);
  a.href = '?ply=' + (i + 1);
  if (p.fen) a.dataset.f = p.fen;
  if (p.odd) a.className = 'ir', a.append(made('small', zh ? '待核' : 'check'));
  if (p.used) a.append(made('em', p.used));
  return a;
}
hears.game = g => {
  const first = g.n - g.tail.length, list = $('#moves'), known = moves(), above = from();
  let h = 0;
  for (const mv of known.slice(0, first)) for (const c of mv.slice(0, 4)) h = Math.imul(h, 31) + c.charCodeAt(0) >>> 0;
  // Something is missing, or was set right further back.
  if (known.length < first || first < above || h !== g.h) return refresh();
  const grown = g.n > known.length;
  for (const a of plies().slice(first - above)) a.remove();
  while (list.children.length > Math.ceil((first - above) / 2)) list.lastChild.remove();
  g.tail.forEach((p, j) => {
    const i = first + j;
    if (i % 2 === 0) list.append(Object.assign(doc.createElement('li'), { value: i / 2 + 1 }));
    list.lastChild.append(plyLink(p, i));
  });
  list.dataset.played = known.slice(0, first).concat(g.tail.map(p => p.mv + (p.check ? '+' : ''))).join('');
  game.dataset.state = g.is;
  setClocks(game, g.k);
  text($('#word'), word(g.word));
  for (const s of $$('.seat')) s.classList.toggle('turn', g.is === 'live' && s.dataset.side === g.turn);
  $('.bd-ck').hidden = !g.check || !!g.result;
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
  text($('#fouls'), word(g.fouls));
  if (grown) text($('#say'), word(g.say));
  // A piece was taken: the facts say so.
  if (game.men !== (game.men = g.fen.replace(/[\d/]/g, '').length)) soon();
  if (g.result) text($('#say'), word(g.result)), soon();
  if (g.notes !== +game.dataset.notes) game.dataset.notes = g.notes, soon();
  // Whoever goes through the game is not thrown back by its next move.
  here.live ? show(g.n, { fen: g.fen, last: g.last, check: g.check && (g.turn === 'red' ? 'K' : 'k') }, grown) : mark();
};
afresh.push(next => {
  const is = $('#moves', next), now = $('xq-board', next), at = n => now.getAttribute(n);
  if ($('#moves').outerHTML !== is.outerHTML) $('#moves').replaceWith(is);
  for (const k of ['state', 'r', 'b', 'at', 'run']) game.dataset[k] = $('[data-game]', next).dataset[k];
  text($('#word'), $('#word', next).textContent);
  here.live ? show(moves().length, { fen: at('fen'), last: at('last'), check: at('check') }) : mark();
});

let replay;
// Without the script the links do the same.
const go = (what, href) => (replay ||= import('./replay.js')).then(r => r.go(what)).catch(() => { replay = 0; if (href) location = href; });
game.addEventListener('click', e => {
  const a = e.target.closest('[data-step],#moves a');
  if (a && !e.ctrlKey && !e.metaKey) e.preventDefault(), go(a.dataset.step || plies().indexOf(a) + 1 + from(), a.href);
});
doc.addEventListener('keydown', e => {
  if (/^(Arrow(Left|Right)|Home|End|f)$/i.test(e.key) && !e.ctrlKey && !e.metaKey && !e.altKey) e.preventDefault(), go(e.key);
});
mark();
// The list of the other games, on wide screens.
if ($('.tl')) import('./lists.js');
