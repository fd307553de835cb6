// Going through a game: by steps, by its list of moves, by itself.
import { $, $$, at, cells } from './app.js';
import { board, from, here, moves, plies, show } from './game.js';

const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR';
function moved(fen, mv) {
  const c = [...cells(fen)], from = at(mv), to = at(mv.slice(2));
  c[to] = c[from];
  c[from] = '.';
  return c.join('').match(/.{9}/g).join('/').replace(/\.+/g, s => s.length);
}
function to(n, travel) {
  const all = plies(), played = moves();
  n = Math.max(0, Math.min(n, played.length));
  let fen = START;
  // A ply that is more than a piece from here to there carries its position.
  for (let i = 0; i < n; i++) fen = all[i].dataset.f || moved(fen, played[i]);
  const mv = played[n - 1];
  show(n, { fen, last: mv && mv.slice(0, 4), check: mv && mv[4] && (n % 2 ? 'k' : 'K') }, travel);
  const engine = $('.engine');
  if (engine) {
    const score = engine.dataset.scores.split(',')[n - 1];
    $('.at', engine).setAttribute('x', n - 1);
    $('b', engine).textContent = score ? (score / 100).toFixed(2) : '';
  }
  const q = new URLSearchParams(location.search);
  here.live || ($('[data-step=play]') && n === played.length) ? q.delete('ply') : q.set('ply', n);
  history.replaceState(null, '', '?' + q);
}
let playing;
function play(on) {
  clearInterval(playing);
  playing = 0;
  const b = $('[data-step=play]');
  if (!b) return;
  b.start ||= b.textContent;
  b.textContent = on ? b.dataset.stop : b.start;
  if (!on) return;
  if (here.ply >= moves().length) to(0);
  playing = setInterval(() => here.ply < moves().length ? to(here.ply + 1, 1) : play(0), 1000);
}
// A phone's list begins with the latest moves only.
async function whole() {
  const answer = await fetch('?moves=all'), next = new DOMParser().parseFromString(await answer.text(), 'text/html');
  $('#moves').replaceWith($('#moves', next));
  $('.whole')?.remove();
}
const KEYS = { ArrowLeft: 'prev', ArrowRight: 'next', Home: 'first', End: 'last', f: 'flip', F: 'flip' };
// `what`: a key, a step's name, or a ply.
export async function go(what) {
  what = KEYS[what] || what;
  if (from()) await whole();
  const end = moves().length;
  if (what === 'flip') {
    board.toggleAttribute('flip');
    for (const s of $$('.seat')) s.classList.toggle('far'), s.classList.toggle('near');
    return;
  }
  if (what === 'play') return play(!playing);
  play(0);
  here.live = what === 'live';
  const n = { first: 0, prev: here.ply - 1, next: here.ply + 1, last: end, live: end }[what];
  to(n ?? what, what === 'next');
}
