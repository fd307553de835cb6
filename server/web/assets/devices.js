// Devices make no events of their own: the page is looked at again while it is on the screen.
import { $, refresh } from './app.js';
const poll = $('[data-poll]').dataset.poll * 1000;
setInterval(() => document.hidden || refresh(), poll);
