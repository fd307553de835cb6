// A jig for gluing magnets: the disc in the slot is held by a magnet below, which turns it the right way up.
// SPDX-License-Identifier: CERN-OHL-P-2.0
piece = 30;      // diameter of a piece, mm
disc = [12, 3];  // diameter and height of the magnet
gap = 0.2;

difference() {
    cylinder(d = piece + 10, h = 14, $fn = 96);
    // The piece lies here upside down …
    translate([0, 0, 8]) cylinder(d = piece + gap, h = 7, $fn = 96);
    // … over the guide magnet, put in from below, whose upper pole is marked on the rim.
    translate([0, 0, -1]) cylinder(d = disc[0] + gap, h = 7 + gap, $fn = 64);
    translate([piece / 2 + 2, 0, 13]) cylinder(d = 3, h = 2, $fn = 24);
}
