//! What a board and a clock do: scan, debounce, number, keep, count down.
