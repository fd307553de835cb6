// The frame that holds ten strips below the playing surface. One half is printed or milled twice.
// SPDX-License-Identifier: CERN-OHL-P-2.0
pitch = 40;          // between points, mm
depth = 12.5;        // from a magnet's middle to a sensor's: 12 to 13, see README.md
surface = 3;         // thickness of the playing surface
disc = 3;            // height of a magnet
floor_ = 1.5;        // wood below the magnet in a piece
sensor = 1.5;        // height of a sensor on its strip
strip = [360, 36, 1.6];
rows = 5;            // half a board
rim = 6;

// What is left between the surface and a strip.
air = depth - disc / 2 - floor_ - surface - sensor / 2;
assert(air > 0, "the surface is too thick for this depth");

module half_frame() {
    width = strip[0] + 2 * rim;
    length = rows * pitch + rim;
    difference() {
        cube([width, length, air + strip[2] + 4]);
        for (row = [0 : rows - 1]) {
            // A strip lies in its groove, components up.
            translate([rim, rim + row * pitch + (pitch - strip[1]) / 2, 4]) cube([strip[0], strip[1], 100]);
            // The flat cable goes out below.
            translate([rim + strip[0] - 30, rim + row * pitch + 8, -1]) cube([20, 12, 10]);
        }
    }
}

half_frame();
