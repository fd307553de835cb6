// The clock's case: faces behind a front that leans back, contacts below the top, a lever at each end.
// SPDX-License-Identifier: CERN-OHL-P-2.0
part = "all";        // shell, base or lever: what is printed; "all" shows them together
wall = 2.4;
lean = 30;           // degrees: a player sits higher than the clock
lip = 8;             // upright edge below the front
slope = 58;          // length of the front
top = 56;            // depth of the top
width = 180;
screw = 2.5;         // M3 cuts its thread

// The boards: size, holes, and where things lie on them, y downwards (as in board/generator).
faces = [160, 48];
faces_holes = [[4, 4], [156, 4], [4, 44], [156, 44]];
digits = [[10.5, 74], [86.7, 150.2]];  // from where to where, across
digits_down = [4.5, 26];
lights = [[5.08, 15.24], [154.94, 15.24]];
contacts = [130, 48];
contacts_holes = [[4, 4], [126, 4], [4, 44], [126, 44]];
buttons = [[20, 36], [110, 36], [36, 36], [94, 36], [52, 36], [78, 36]];

digit_height = 8;    // of a digit's body on its board
button_height = 9.5; // of a tact switch with its stem on its board: it stands 1 mm out of the top
plug = 17;           // socket, plug and cable behind a board

height = lip + slope * cos(lean);
depth = slope * sin(lean) + top;
behind_faces = (digit_height + 0.5) + 1.6 + plug;
assert(width - 2 * wall >= faces[0] + 2, "the faces do not fit between the sides");
assert(top - 2 * wall >= contacts[1] + 2, "the contacts do not fit below the top");
assert((width - contacts[0]) / 2 - wall >= 20, "no room for a lever beside the contacts");
assert(depth * cos(lean) > behind_faces + 20, "no room for plugs behind the faces");

module profile(inset) {
    offset(delta = -inset) polygon([[0, 0], [depth, 0], [depth, height], [slope * sin(lean), height], [0, lip]]);
}

module along(length) { rotate([90, 0, 90]) linear_extrude(length) children(); }

// On the front: x across, y up along it, z outwards; from the lower left corner of the faces' board.
module on_front() {
    translate([(width - faces[0]) / 2, 0, lip]) rotate([90 - lean, 0, 0]) translate([0, (slope - faces[1]) / 2, 0]) children();
}
function on_faces(at) = [at[0], faces[1] - at[1], 0];

// On the top: x across, y towards the back, z upwards; from the front left corner of the contacts' board, whose buttons
// are at the players' side.
module on_top() {
    translate([(width - contacts[0]) / 2, slope * sin(lean) + (top - contacts[1]) / 2, height]) children();
}
function on_contacts(at) = [at[0], contacts[1] - at[1], 0];

module post(length) {
    difference() {
        cylinder(d = 7, h = length, $fn = 32);
        translate([0, 0, -1]) cylinder(d = screw, h = length - 1, $fn = 24);
    }
}

module shell() {
    difference() {
        along(width) profile(0);
        translate([wall, 0, 0]) along(width - 2 * wall) difference() {
            profile(wall);
            // Where the base is screwed on.
            translate([depth - 12, 0]) square([12, 8 + wall]);
            translate([0, 0]) square([11, 6 + wall]);
        }
        // The base's place.
        translate([wall, wall, -1]) cube([width - 2 * wall, depth - 2 * wall, wall + 1]);
        for (at = base_holes()) translate([at[0], at[1], 0]) cylinder(d = screw, h = wall + 6, $fn = 24);
        on_front() {
            for (across = digits) translate([across[0], faces[1] - digits_down[1], -2 * wall])
                cube([across[1] - across[0], digits_down[1] - digits_down[0], 4 * wall]);
            for (at = lights) translate(on_faces(at)) translate([0, 0, -2 * wall]) cylinder(d = 5.4, h = 4 * wall, $fn = 32);
        }
        on_top() for (at = buttons) translate(on_contacts(at)) translate([0, 0, -2 * wall]) cylinder(d = 4.2, h = 4 * wall, $fn = 32);
        // Each lever goes through the top and turns about a pin of 3 mm; its micro-switch is screwed to the side.
        for (side = [0, 1]) translate([side * width, 0, 0]) mirror([side, 0, 0]) {
            translate([wall + 2, slope * sin(lean) + 6, height - 2 * wall]) cube([16, top - 14, 4 * wall]);
            translate([-1, depth - 14, height - 10]) rotate([0, 90, 0]) cylinder(d = 3.1, h = wall + 2, $fn = 24);
            for (hole = [0, 9.5]) translate([-1, slope * sin(lean) + 14 + hole, height - 25]) rotate([0, 90, 0]) cylinder(d = 2.4, h = wall + 2, $fn = 24);
        }
        // The cable.
        translate([width / 2 - 11, depth - wall - 1, wall + 9]) cube([22, wall + 2, 4]);
    }
    on_front() for (at = faces_holes) translate(on_faces(at)) translate([0, 0, -wall - digit_height - 0.5]) post(digit_height + 1);
    on_top() for (at = contacts_holes) translate(on_contacts(at)) translate([0, 0, -button_height + 1]) post(button_height - 1 - wall / 2);
}

function base_holes() = [for (x = [12, width - 12], y = [7, depth - 7.5]) [x, y]];

module base() {
    difference() {
        translate([wall + 0.2, wall + 0.2, 0]) cube([width - 2 * wall - 0.4, depth - 2 * wall - 0.4, wall - 0.2]);
        for (at = base_holes()) translate([at[0], at[1], -1]) cylinder(d = 3.3, h = wall + 2, $fn = 24);
    }
}

// As it lies to be printed; the longer arm is pressed, the pin goes through the other end.
module lever() {
    difference() {
        union() {
            cube([15, top - 18, 4]);
            translate([0, top - 26, -6]) cube([15, 8, 10]);
            // What presses the switch.
            translate([0, 8, -5]) cube([7, 6, 9]);
        }
        translate([-1, top - 22, -2]) rotate([0, 90, 0]) cylinder(d = 3.2, h = 17, $fn = 24);
    }
}

if (part == "shell") shell();
if (part == "base") base();
if (part == "lever") lever();
if (part == "all") {
    shell();
    base();
    for (side = [0, 1]) translate([side * width, 0, 0]) mirror([side, 0, 0]) translate([wall + 2.5, slope * sin(lean) + 8, height - 2]) lever();
}
