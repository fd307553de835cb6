// The frame that holds ten strips below the playing surface. One half is printed or milled twice.
// SPDX-License-Identifier: CERN-OHL-P-2.0
pitch = 40;          // between points, mm
depth = 12.5;        // from a magnet's middle to a sensor's: 12 to 13, see README.md
surface = 3;         // thickness of the playing surface
disc = 3;            // height of a magnet
floor_ = 1.5;        // wood below the magnet in a piece
sensor = 1.1;        // height of a sensor on its strip
strip = [360, 24, 1.6];
screws = [[5, 5], [5, 19], [355, 5], [355, 19], [80, 4], [280, 20]];  // the strip's holes
socket = [139, 37];  // where the socket below a strip (of either kind) begins, and how long it is
plug = 15;           // socket, plug and flat cable, below a strip
plate = 4;           // what the strips lie on
rows = 5;            // half a board
rim = 6;

// What is left between the surface and a strip: the multiplexer, 2.65 mm high, must fit.
air = depth - disc / 2 - floor_ - surface - sensor / 2;
assert(air > 3, "the surface is too thick for this depth");

module half_frame() {
    width = strip[0] + 2 * rim;
    length = rows * pitch + rim;
    difference() {
        cube([width, length, plug + strip[2] + air]);
        // Below the plate there is room for cables; the half's open end meets the other half's.
        translate([rim, rim, -1]) cube([strip[0], length, plug - plate + 1]);
        for (row = [0 : rows - 1]) translate([rim, rim + row * pitch + (pitch - strip[1]) / 2, 0]) {
            // A strip lies in its groove, sensors up, its socket through the plate.
            translate([0, 0, plug]) cube([strip[0], strip[1], 100]);
            translate([socket[0], 0, 0]) cube([socket[1], strip[1], plug + 1]);
            for (at = screws) translate([at[0], at[1], plug - plate - 1]) cylinder(d = 2.5, h = plate + 2, $fn = 24);
        }
    }
}

half_frame();
