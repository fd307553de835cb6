// The arbiters' pages: sound and vibration, tiles, a table that is looked at again.
import { $, $$, afresh, body, hears, mmss, now, refresh, setClocks, soon, text, ticks } from './app.js';

// ---- Sound. Browsers want one tap before they make any; then a page of ours may speak until it is left.
const Audio = window.AudioContext || window.webkitAudioContext;
let sound, unlocked = 0;
const on = () => sound && sound.state === 'running';
function tone(at, hz, length) {
  const o = sound.createOscillator(), g = sound.createGain();
  o.frequency.value = hz;
  g.gain.setValueAtTime(.0001, at);
  g.gain.exponentialRampToValueAtTime(.5, at + .02);
  g.gain.exponentialRampToValueAtTime(.0001, at + length);
  o.connect(g).connect(sound.destination);
  o.start(at);
  o.stop(at + length);
}
// P0: loud, two tones, and vibration; P1: one chime; P2: a tick.
function call(severity) {
  if (on()) {
    const t = sound.currentTime;
    if (severity === 'p0') for (const i of [0, 1, 2]) { tone(t + i * .5, 880, .22); tone(t + i * .5 + .25, 622, .22); }
    else tone(t, severity === 'p1' ? 660 : 990, severity === 'p1' ? .4 : .05);
  }
  if (severity === 'p0' && navigator.vibrate) navigator.vibrate([300, 120, 300, 120, 300]);
}
const duty = () => $$('.duty');
function showDuty() {
  for (const b of duty()) {
    b.hidden = !Audio;
    text(b, on() ? b.dataset.on : b.dataset.off);
    b.setAttribute('aria-pressed', on() ? 'true' : 'false');
  }
}
async function unlock(test) {
  if (!Audio) return;
  sound ||= new Audio();
  await sound.resume().catch(() => 0);
  sessionStorage.duty = on() ? 1 : '';
  showDuty();
  if (test && on()) { call('p1'); if (navigator.vibrate) navigator.vibrate(150); }
}
addEventListener('click', e => { if (e.target.closest('.duty')) unlock(1); });
// A tap anywhere serves, once the duty was begun.
addEventListener('pointerdown', () => { if (sessionStorage.duty && !unlocked) { unlocked = 1; unlock(0); } });

// ---- Alerts: what is new calls; what nobody takes up and must be decided calls again every fifteen seconds.
const cards = () => $$('[data-alert]').map(c => ({ id: +c.dataset.alert, severity: c.dataset.sev, free: c.hasAttribute('data-free'), own: c.hasAttribute('data-own') }));
// Those of one's own tables call at once, others when nobody took them up in time: then they are everybody's.
const called = new Set((sessionStorage.alerts || '').split(','));
const mark = c => called.add(`${c.id}`);
if (!sessionStorage.alerts) cards().filter(c => c.own).forEach(mark);
function hearAlerts() {
  const fresh = cards().filter(c => c.free && c.own && !called.has(`${c.id}`));
  fresh.forEach(mark);
  sessionStorage.alerts = [...called].slice(-200).join();
  if (fresh.length) call(fresh.map(c => c.severity).sort()[0]);
}
setInterval(() => { if (cards().some(c => c.free && c.own && c.severity === 'p0')) call('p0'); }, 15000);

// ---- Tiles: clocks at once; what else changed is fetched again.
function onGrid(tiles) {
  let other = 0;
  for (const t of tiles) for (const tile of $$(`[data-tile-of="${t.t}"]`)) {
    setClocks(tile, t.k);
    other = 1;
  }
  if (other) soon();
}
ticks.push(() => { for (const t of $$('[data-age]')) text(t, mmss(Math.max(0, now() - t.dataset.age))); });
Object.assign(hears, { grid: onGrid, game: soon });
afresh.push(() => { hearAlerts(); showDuty(); });
showDuty();
if (sessionStorage.duty) unlock(0);

// ---- A table: sensors make no event of their own, so it is looked at again while it is on the screen.
const poll = $('[data-poll]');
if (poll) setInterval(() => { if (!document.hidden && !$('details[open] input:focus, .setclock input:focus')) refresh(); }, poll.dataset.poll * 1000);

// ---- A double tap confirms nothing: the button wakes up after a moment.
for (const b of $$('#confirm button:not([disabled])')) {
  b.disabled = true;
  setTimeout(() => b.disabled = false, 400);
}
// ---- Escape cancels.
addEventListener('keydown', e => { if (e.key === 'Escape') { const c = $('#confirm .btn-g'); if (c) c.click(); } });
body.dataset.script = 'on';
