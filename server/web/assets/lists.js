// Lists, grids and the hall's screen.
import { $, $$, afresh, hears, mmss, now, setBoard, setClocks, soon, text, ticks, word, zh } from './app.js';

const STATES = ['todo', 'live', 'pend', 'done', 'held'];
function onRound(lines) {
  for (const l of lines) for (const row of $$(`[data-row="${l.t}"]`)) {
    // A game began, ended or waits for a ruling: counts and standings around it changed too.
    if (!row.classList.contains(l.is)) soon();
    row.classList.remove(...STATES);
    row.classList.add(l.is);
    l.win ? row.dataset.win = l.win : delete row.dataset.win;
    // Where the home team has Black its points come first.
    const big = 'turned' in row.dataset ? word(l.big).split('–').reverse().join('–') : word(l.big);
    text($('[data-big]', row), big);
    text($('[data-small]', row), word(l.small));
    text($('[data-side-word]', row), word(l.is === 'done' || l.is === 'held' ? l.small : l.big));
    if (l.is !== 'live') text($('[data-score]', row), word(l.big).replace('–', ' : '));
  }
}
function onGrid(tiles) {
  for (const t of tiles) for (const cell of $$(`[data-tile="${t.t}"]`)) {
    cell.classList.remove(...STATES);
    cell.classList.add(t.is);
    const board = $('xq-board', cell);
    if (board) setBoard(board, { fen: t.fen, last: t.last, check: t.check ? (t.turn === 'red' ? 'K' : 'k') : 0 });
    setClocks(cell, t.k);
    text($('[data-n]', cell), zh ? t.n + '回合' : t.n + ' moves');
    const mv = $('[data-mv]', cell), tag = $('.tg', cell);
    if (mv) text(mv, t.mv ? t.mv[mv.dataset.mv] : '');
    text(tag, word(t.tag && t.tag.word));
    tag.classList.toggle('tg-ck', !!(t.tag && t.tag.check));
    text($('.rs', cell), word(t.result));
  }
}

ticks.push(() => { for (const t of $$('[data-until]')) text(t, mmss(Math.max(0, t.dataset.until - now()))); });

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
Object.assign(hears, { round: onRound, grid: onGrid });
afresh.push(() => turn(0));
