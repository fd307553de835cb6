// Devices make no events of their own: the page is looked at again while it is on the screen.
import { $, refresh } from './app.js';
const polled = $('[data-poll]');
if (polled) setInterval(() => document.hidden || refresh(), polled.dataset.poll * 1000);
