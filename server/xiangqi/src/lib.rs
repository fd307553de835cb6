//! The game of Xiangqi: board, moves, legality, notation, game files and adjudication.
