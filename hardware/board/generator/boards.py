"""The five boards: a strip of nine sensors or of nine switches (ten of one kind make a board), the controller, the
clock's contacts and its faces.

SPDX-License-Identifier: CERN-OHL-P-2.0
"""

from design import GROUND, Board, Fiducial, Hole, Part, row

GRID = 2.54 / 8
"""So that a track fits between two pins of a socket, if they lie on a multiple of 1.27 mm."""

PITCH = 40
POINTS = 9
SENSORS = "+3V3S"
"""The sensors' own supply."""

BUS = [SENSORS, GROUND, SENSORS, GROUND, "SELECT_0", "SELECT_1", "SELECT_2", "SELECT_3",
       "BANK_0", "BANK_1", "BANK_2", "BANK_3", GROUND, "INPUT_0", "INPUT_1", "INPUT_2"]
"""The flat cable that all ten strips hang on, wire by wire."""

CLOCK = ["VSYS", GROUND, "FACE_CLOCK", GROUND, "FACE_DATA", "CONTACTS_OUT", *(f"COLUMN_{n}" for n in range(8))]
"""The cable to the clock: its contacts and its faces hang on it one after the other."""

SWITCHES = [*(f"ROW_{n}" for n in range(10)), *(f"COLUMN_{n}" for n in range(9)), GROUND]
"""The cable to a board of switches, instead of the strips."""

STRIP_HOLES = [(5, 5), (5, 19), (355, 5), (355, 19), (80, 4), (280, 20)]
STRIP_MARKS = [(12, 4), (12, 20), (348, 20)]
ASIDE = 6.3
"""How far a reed's middle lies beside its point: there the field along it is the strongest, half its depth away."""

C0603 = "Capacitor_SMD:C_0603_1608Metric"
R0603 = "Resistor_SMD:R_0603_1608Metric"
IDC = "Connector_IDC:IDC-Header_2x{:02}_P2.54mm_Vertical"


def resistor(ref, value, at, one, other, turn=0):
    return Part(ref, "Device:R", value, R0603, at, {"1": one, "2": other}, turn)


def capacitor(ref, value, at, net, turn=0):
    footprint = "Capacitor_SMD:C_0805_2012Metric" if value == "10u" else C0603
    return Part(ref, "Device:C", value, footprint, at, {"1": net, "2": GROUND}, turn)


def test_point(ref, net, at):
    return Part(ref, "Connector:TestPoint", net, "TestPoint:TestPoint_Pad_D1.5mm", at, {"1": net}, bought=False)


def fiducials(*places):
    return [Fiducial(f"FID{n + 1}", at) for n, at in enumerate(places)]


def holes(*places):
    return [Hole(f"H{n + 1}", at) for n, at in enumerate(places)]


def jumper(ref, at, one, other, turn=0):
    return Part(ref, "Jumper:SolderJumper_2_Open", "open", "Jumper:SolderJumper-2_P1.3mm_Open_RoundedPad1.0x1.5mm", at,
                {"1": one, "2": other}, turn, bought=False)


def diode(ref, at, cathode, anode, turn=0):
    return Part(ref, "Device:D", "1N4148W", "Diode_SMD:D_SOD-123", at, {"1": cathode, "2": anode}, turn)


def header(ref, wires, at, turn=0, below=False):
    rows = len(wires) // 2
    symbol = f"Connector_Generic:Conn_02x{rows:02}_Odd_Even"
    return Part(ref, symbol, f"box header 2x{rows}", IDC.format(rows), at, row(1, wires), turn, below)


def strip():
    """One row of nine points. Solder jumpers say which of the ten it is: its bank and its input."""
    height, middle = 24, 12
    sensors, capacitors = [], []
    for n in range(POINTS):
        x = PITCH / 2 + PITCH * n
        sensors.append(Part(f"U{n + 2}", "Sensor_Magnetic:A1301xLH", "AH49F", "Package_TO_SOT_SMD:SOT-23", (x, middle),
                            {"1": SENSORS, "2": f"POINT_{n + 1}", "3": GROUND}, 90))
        capacitors.append(capacitor(f"C{n + 2}", "100n", (x - 5, middle), SENSORS, 90))
    ways = {str(pin): f"POINT_{n + 1}" for n, pin in enumerate([9, 8, 7, 6, 5, 4, 3, 2, 23])}
    spare = {str(pin): GROUND for pin in (22, 21, 20, 19, 18, 17, 16, 12)}
    select = {"10": "SELECT_0", "11": "SELECT_1", "14": "SELECT_2", "13": "SELECT_3"}
    x = 200
    multiplexer = Part("U1", "74xx:CD74HC4067M", "CD74HC4067M", "Package_SO:SOIC-24W_7.5x15.4mm_P1.27mm", (x, middle),
                       ways | spare | select | {"1": "OUTPUT", "15": "ENABLE", "24": SENSORS}, 90)
    banks = [jumper(f"JP{n + 1}", (126 + 7 * n, 19), f"BANK_{n}", "ENABLE", 90) for n in range(4)]
    inputs = [jumper(f"JP{n + 5}", (126 + 7 * n, 5), f"INPUT_{n}", "OUTPUT", 90) for n in range(3)]
    return Board(
        "strip", "Strip of nine points", (360, height), GRID, "A3",
        {
            "Bus: all ten strips on one flat cable": [
                header("J1", BUS, (168.91, 10.16), 90, below=True),
                capacitor("C1", "10u", (188, 5.5), SENSORS, 90)],
            "Multiplexer: way n - 1 is point n": [
                multiplexer, capacitor("C11", "100n", (212, 12), SENSORS, 90),
                resistor("R1", "10k", (190, 19), SENSORS, "ENABLE", 90)],
            "Which strip it is: close one of BANK 0 to 3 and one of INPUT 0 to 2": banks + inputs,
            "Points": sensors,
            "At each sensor": capacitors,
        },
        holes(*STRIP_HOLES),
        [SENSORS, GROUND], {SENSORS: 0.4},
        [("CHUHE STRIP 1  CERN-OHL-P-2.0", (40, 21), 1.2)]
        + [(f"{n + 1}", (PITCH / 2 + PITCH * n + 4, middle - 4), 1.5) for n in range(POINTS)]
        + [(f"BANK {n}", (126 + 7 * n, 22), 1.0) for n in range(4)]
        + [(f"IN {n}", (126 + 7 * n, 2), 1.0) for n in range(3)],
        fiducials(*STRIP_MARKS))


def switches():
    """One row of nine switches. A solder jumper says which of the ten it is.

    A reed switch closes by the field along it, of which there is none above its middle: it lies beside its point."""
    reeds, diodes = [], []
    for n in range(POINTS):
        x, middle = PITCH / 2 + PITCH * n, 12
        reeds.append(Part(f"SW{n + 1}", "Switch:SW_Reed", "reed 14 mm", "Resistor_THT:R_Axial_DIN0309_L9.0mm_D3.2mm_P20.32mm_Horizontal",
                          (x + ASIDE - 10.16, middle), {"1": f"COLUMN_{n}", "2": f"SWITCH_{n + 1}"}))
        diodes.append(diode(f"D{n + 1}", (x + ASIDE + 14, middle) if n < POINTS - 1 else (x - 12, middle), "ROW", f"SWITCH_{n + 1}"))
    rows = [jumper(f"JP{n + 1}", (183 + 7 * n, 5), f"ROW_{n}", "ROW", 90) for n in range(10)]
    return Board(
        "switches", "Strip of nine switches", (360, 24), GRID, "A3",
        {
            "All ten strips on one flat cable": [header("J1", [*SWITCHES[:-1], None], (168.91, 19.05), 90, below=True)],
            "Which strip it is: close one of ROW 0 to 9": rows,
            "Points": reeds,
            "Diodes, cathode to the row": diodes,
        },
        holes(*STRIP_HOLES), [], {},
        [("CHUHE SWITCHES 1  CERN-OHL-P-2.0", (40, 21), 1.2)]
        + [(f"{n + 1}", (PITCH / 2 + PITCH * n, 18.3), 1.5) for n in range(POINTS)]
        + [("+", (PITCH / 2 + PITCH * n, 8.6), 1.0) for n in range(POINTS)]
        + [(f"ROW {n}", (183 + 7 * n, 2), 1.0) for n in range(10)],
        fiducials(*STRIP_MARKS))


def controller():
    """The Pico, the supply of the sensors, the line, and the sockets of everything else."""
    pico_pin = [1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29]
    shared = [f"ROW_{n}" for n in range(10)]
    names = ["LINE_TX", "LINE_RX", *shared, "CONTACTS", *(f"COLUMN_{n}" for n in range(9)), "LINE_DRIVE"]
    gpio = {str(pin): name for pin, name in zip(pico_pin, names)}
    gpio |= {str(pin): f"INPUT_{n}" for n, pin in enumerate([31, 32, 34])}
    gpio |= {str(pin): GROUND for pin in (3, 8, 13, 18, 23, 28, 38)} | {"33": "AGND", "39": "VSYS", "36": "+3V3"}
    # The strips' select lines and banks are the first rows of a board of switches.
    strips = [{"SELECT_0": "ROW_0", "SELECT_1": "ROW_1", "SELECT_2": "ROW_2", "SELECT_3": "ROW_3", "BANK_0": "ROW_4",
               "BANK_1": "ROW_5", "BANK_2": "ROW_6", "BANK_3": "ROW_7"}.get(wire, wire) for wire in BUS]
    pico = Part("U1", "MCU_Module:RaspberryPi_Pico", "Pico", "Module:RaspberryPi_Pico_Common_THT", (41.91, 8.89), gpio)
    columns = [resistor(f"R{n + 1}", "4k7", (68, 14 + 3.5 * n), f"COLUMN_{n}", "+3V3") for n in range(9)]
    return Board(
        "controller", "Controller", (120, 72), GRID, "A2",
        {
            "Controller": [
                pico,
                # The converter's ground meets the other one here and nowhere else.
                Part("NT1", "Device:NetTie_2", "tie", "NetTie:NetTie-2_SMD_Pad2.0mm", (70.17, 6), {"1": "AGND", "2": GROUND}, bought=False)],
            "Strips, contacts of a clock, board of switches": [
                header("J1", strips, (13.97, 10.16)), header("J2", CLOCK, (83.82, 12.7)), header("J3", SWITCHES, (13.97, 40.64))],
            "Columns": columns,
            "To the clock; the row of contacts is high while the controller starts": [
                resistor("R16", "47", (77, 14), "ROW_7", "FACE_CLOCK"), resistor("R17", "47", (77, 17.5), "ROW_3", "FACE_DATA"),
                resistor("R18", "47", (77, 21), "CONTACTS", "CONTACTS_OUT"), resistor("R19", "10k", (77, 24.5), "CONTACTS", "+3V3")],
            "To measure at": [
                test_point(f"TP{n + 1}", net, (46 + 5 * n, 62)) for n, net in enumerate(["VSYS", SENSORS, "+3V3", GROUND])],
            "Supply: 5 V from the line's cable or from the Pico's socket": [
                Part("F1", "Device:Polyfuse", "1A1", "Fuse:Fuse_1812_4532Metric", (106, 62), {"1": "+5V", "2": "FUSED"}, 180),
                Part("D1", "Device:D_Schottky", "SS24", "Diode_SMD:D_SMA", (95, 62), {"1": "VSYS", "2": "FUSED"}),
                Part("U2", "Regulator_Linear:AP7361C-33E", "AP7361C-33E", "Package_TO_SOT_SMD:SOT-223-3_TabPin2", (76, 60),
                     {"1": "VSYS", "2": GROUND, "3": SENSORS}),
                # Takes what a cable that is plugged under power brings, and blows the fuse if it is plugged the wrong way round.
                Part("D3", "Diode:SMAJ5.0A", "SMAJ5.0A", "Diode_SMD:D_SMA", (100.5, 67), {"1": "FUSED", "2": GROUND}, 180),
                capacitor("C1", "10u", (86, 60), "VSYS", 90), capacitor("C2", "10u", (67, 62), SENSORS, 90)],
            "Line: RS-485, or a cable to a USB adapter (JP1)": [
                Part("U3", "Interface_UART:THVD1400D", "THVD1400D", "Package_SO:SOIC-8_3.9x4.9mm_P1.27mm", (98, 38),
                     {"1": "RECEIVED", "2": "LINE_DRIVE", "3": "LINE_DRIVE", "4": "LINE_TX", "5": GROUND, "6": "A", "7": "B",
                      "8": "+3V3"}),
                capacitor("C3", "100n", (98, 32), "+3V3"),
                Part("D2", "Power_Protection:NUP2105L", "NUP2105L", "Package_TO_SOT_SMD:SOT-23", (102, 46),
                     {"1": "A", "2": "B", "3": GROUND}, 180),
                resistor("R10", "10k", (90, 43), "LINE_DRIVE", GROUND),
                resistor("R11", "120", (108, 38), "A", "TERMINATION"), jumper("JP2", (108, 34), "TERMINATION", "B"),
                resistor("R12", "560", (108, 28), "+5V", "BIAS_A"), jumper("JP3", (114, 28), "BIAS_A", "A", 90),
                resistor("R13", "560", (108, 24), GROUND, "BIAS_B"), jumper("JP4", (114, 22), "BIAS_B", "B", 90),
                Part("J4", "Connector:Screw_Terminal_01x04", "terminal of the line", "TerminalBlock_Phoenix:TerminalBlock_Phoenix_MKDS-1-4-3.81_1x04_P3.81mm_Horizontal",
                     (114, 55.43), row(1, ["+5V", GROUND, "A", "B"]), 90),
                Part("J5", "Connector_Generic:Conn_01x03", "pins of the adapter", "Connector_PinHeader_2.54mm:PinHeader_1x03_P2.54mm_Vertical",
                     (104, 8), row(1, [GROUND, "ADAPTER_RX", "ADAPTER_TX"])),
                resistor("R14", "47", (98, 8), "LINE_TX", "ADAPTER_RX"), resistor("R15", "47", (98, 14), "ADAPTER_TX", "FROM_ADAPTER"),
                Part("JP1", "Jumper:SolderJumper_3_Open", "line or adapter", "Jumper:SolderJumper-3_P1.3mm_Open_Pad1.0x1.5mm", (96, 24),
                     {"1": "RECEIVED", "2": "LINE_RX", "3": "FROM_ADAPTER"}, bought=False)],
        },
        holes((4, 4), (116, 4), (4, 68), (116, 68)),
        ["VSYS"], {SENSORS: 0.8, "VSYS": 0.8, "+5V": 0.8, "FUSED": 0.8, "+3V3": 0.4},
        [("CHUHE CONTROLLER 1  CERN-OHL-P-2.0", (60, 69), 1.2), ("STRIPS", (25, 6), 1.2), ("CLOCK", (85, 5), 1.2),
         ("SWITCHES", (27, 66), 1.2),
         *((name, (108.2, 55.43 - 3.81 * n), 1.0) for n, name in enumerate(["5V", "GND", "A", "B"])),
         ("RS-485", (93.4, 26.8), 1.0), ("USB", (99.3, 26.8), 1.0), ("END 120", (113.6, 35.8), 0.8), ("BIAS A", (113.6, 31), 0.8),
         ("BIAS B", (113.6, 18.6), 0.8), ("ADAPTER", (104, 17), 1.0),
         *((name, (107.6, 8 + 2.54 * n), 1.0) for n, name in enumerate(["GND", "RX", "TX"])),
         *((name, (46 + 5 * n, 65), 0.8) for n, name in enumerate(["VSYS", "3V3S", "3V3", "GND"]))],
        fiducials((32, 4), (90, 68), (36, 68)), ("J1", "U1"))


def contacts():
    """The clock's contacts: two levers and six buttons on a row of their own, a diode at each. The buttons reach through
    the case's top; whatever is plugged or screwed on sits below."""
    names = ["LEVER A", "LEVER B", "DRAW A", "DRAW B", "RESIGN A", "RESIGN B", "ARBITER A", "ARBITER B"]
    places = [(20, 14), (110, 14), (20, 36), (110, 36), (36, 36), (94, 36), (52, 36), (78, 36)]
    switches, diodes = [], []
    for n, (name, (x, y)) in enumerate(zip(names, places)):
        pins = {"1": f"COLUMN_{n}", "2": f"CONTACT_{n}"}
        if n < 2:
            switches.append(Part(f"J{n + 2}", "Connector:Screw_Terminal_01x02", "terminal of a lever",
                                 "TerminalBlock_Phoenix:TerminalBlock_Phoenix_MKDS-1-2-3.81_1x02_P3.81mm_Horizontal", (x, y), pins, 180, below=True))
        else:
            switches.append(Part(f"SW{n - 1}", "Switch:SW_Push", "button", "Button_Switch_THT:SW_PUSH_6mm", (x - 3.25, y - 2.25), pins))
        diodes.append(diode(f"D{n + 1}", (x + (10 if n < 2 else 0), y + (2 if n < 2 else -7)), "CONTACTS_OUT", f"CONTACT_{n}"))
    return Board(
        "contacts", "Contacts of the clock", (130, 48), GRID, "A4",
        {"Cable to the controller": [header("J1", [None, GROUND, None, GROUND, None, *CLOCK[5:]], (72.39, 12.7), 90, below=True)], "Levers and buttons": switches,
         "Diodes, cathode to the row": diodes},
        holes((4, 4), (126, 4), (4, 44), (126, 44)),
        [], {}, [("CHUHE CONTACTS 1  CERN-OHL-P-2.0", (65, 46), 1.2)]
        + [(name, (x, y + 7.5), 1.2) for name, (x, y) in zip(names[2:], places[2:])]
        + [(name, (x, y - 8.5), 1.2, "below") for name, (x, y) in zip(names[:2], places[:2])],
        fiducials((12, 4), (118, 4), (118, 44)))


def faces():
    """The clock's two faces: four digits of 14.2 mm, a colon and a light for each half, driven by one chip."""
    segments = {"7": "A", "6": "B", "4": "C", "2": "D", "1": "E", "9": "F", "10": "G", "5": "POINT"}
    middle, digits, lights = 15.24, [], []
    for half, left in enumerate([12.7, 88.9]):
        for n, x in enumerate([0, 13.97, 34.29, 48.26]):
            grid = f"GRID_{4 * half + n + 1}"
            digits.append(Part(f"DS{4 * half + n + 1}", "Display_Character:LTS-6980HR", "14.2 mm red", "Display_7Segment:7SegmentLED_LTS6760_LTS6780",
                               (left + x, middle + 7.62), {pin: f"SEGMENT_{name}" for pin, name in segments.items()} | {"3": grid, "8": grid}, 90,
                               label=(left + x + 5.08, 3.8)))
        light = 3.81 if half == 0 else 153.67
        places = [("5 mm green", "LED_D5.0mm", (light, middle)), ("3 mm red", "LED_D3.0mm", (left + 27.94, middle - 3.81)),
                  ("3 mm red", "LED_D3.0mm", (left + 27.94, middle + 3.81))]
        for n, (value, footprint, at) in enumerate(places):
            lights.append(Part(f"D{3 * half + n + 1}", "Device:LED", value, f"LED_THT:{footprint}", at,
                               {"1": f"GRID_{4 * half + n + 1}", "2": "SEGMENT_NINTH"}))
    names = ["A", "B", "C", "D", "E", "F", "G", "POINT", "NINTH"]
    grids = {pin: f"GRID_{n}" for n, pin in enumerate(["24", "23", "22", "21", "20", "19", "17", "16"], 1)}
    driver = Part("U1", "chuhe:TM1638", "TM1638", "Package_SO:SOIC-28W_7.5x17.9mm_P1.27mm", (80, 36),
                  {str(5 + n): f"SEGMENT_{name}" for n, name in enumerate(names)} | grids
                  | row(1, [GROUND] * 3) | {"4": "VSYS", "15": "VSYS", "18": GROUND, "25": GROUND, "26": "DATA", "27": "CLOCK", "28": "STROBE"}, 90)
    heard = {"2": "STROBE_IN", "3": "CLOCK_IN", "4": "DATA_IN", "18": "STROBE", "17": "CLOCK", "16": "DATA_OUT"}
    buffer = Part("U2", "74xx:74HCT541", "74HCT541", "Package_SO:SOIC-20W_7.5x12.8mm_P1.27mm", (55, 36),
                  heard | row(5, [GROUND] * 5) | {"1": GROUND, "19": GROUND, "10": GROUND, "20": "VSYS"}, 90)
    wires = [("STROBE_IN", "CONTACTS_OUT"), ("CLOCK_IN", "FACE_CLOCK"), ("DATA_IN", "FACE_DATA")]
    return Board(
        "faces", "Faces of the clock", (160, 48), GRID, "A3",
        {
            "Cable to the controller": [header("J1", CLOCK[:6] + [None] * 8, (22.86, 36.83), 90, below=True), capacitor("C1", "10u", (43.5, 44), "VSYS")],
            "What comes over the cable: slow edges, 5 V": [
                *(resistor(f"R{n + 1}", "1k", (43.5, 30.5 + 4 * n), own, wire) for n, (own, wire) in enumerate(wires)),
                *(Part(f"C{n + 2}", "Device:C", "100p", C0603, (38.5, 30.5 + 4 * n), {"1": own, "2": GROUND}, 180)
                  for n, (own, _) in enumerate(wires)),
                buffer, capacitor("C5", "100n", (62, 44.5), "VSYS"), resistor("R4", "1k", (66, 37), "DATA_OUT", "DATA", 90)],
            "Driver": [driver, capacitor("C6", "100n", (92.5, 40), "VSYS", 90), capacitor("C7", "10u", (96, 40), "VSYS", 90)],
            "Digits, from left to right; half A's face first": digits,
            "The light of a half's turn, the dots of its colon": lights,
            "To measure at": [test_point(f"TP{n + 1}", net, (104 + 6 * n, 42)) for n, net in enumerate(["VSYS", GROUND, "STROBE", "CLOCK", "DATA"])],
        },
        holes((4, 4), (156, 4), (4, 44), (156, 44)), ["VSYS", GROUND], {"VSYS": 0.6},
        [("CHUHE FACES 1  CERN-OHL-P-2.0", (125, 34), 1.2), ("HALF A", (42, 2.6), 1.2), ("HALF B", (118, 2.6), 1.2),
         *((name, (104 + 6 * n, 44.5), 0.8) for n, name in enumerate(["VSYS", "GND", "STB", "CLK", "DIO"])),
         ("CLOCK", (28, 44), 1.2, "below")],
        fiducials((12, 4), (148, 4), (148, 40)))


ALL = [strip, switches, controller, contacts, faces]
