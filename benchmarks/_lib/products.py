"""Product titles that differ in wording, or in the model number."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# A title, the same title in other words, and models that fit both.
TEMPLATES: tuple[tuple[str, str, str], ...] = (
    (
        "Canon EOS {} DSLR camera body black",
        "Black Canon EOS {} digital SLR, camera body only",
        "80D 90D 77D 850D",
    ),
    (
        "Nikon Coolpix {} digital camera with 8 GB card",
        "Digital camera Nikon Coolpix {}, 8 GB memory card included",
        "P900 P950 B500 A1000",
    ),
    (
        "Sony {} wireless noise cancelling headphones",
        "Headphones by Sony, {}, noise cancelling, wireless",
        "WH-1000XM3 WH-1000XM4 WH-CH710N WH-XB900N",
    ),
    (
        "HP LaserJet Pro {} black and white laser printer",
        "Laser printer HP LaserJet Pro {}, monochrome",
        "M15w M28w M102w M203dw",
    ),
    (
        "HP {} black ink cartridge for OfficeJet printers",
        "Ink cartridge, black, HP {}, for use in OfficeJet",
        "950 932 920 901",
    ),
    (
        "Epson Expression Home {} all-in-one printer",
        "All in one printer Epson {} Expression Home, new",
        "XP-2100 XP-3100 XP-4100 XP-5100",
    ),
    (
        "Samsung Galaxy {} smartphone 128 GB grey",
        "Grey Samsung smartphone Galaxy {} with 128 GB",
        "S20 S21 A51 A52",
    ),
    (
        "Apple iPhone {} case, clear silicone",
        "Clear case made of silicone for the Apple iPhone {}",
        "11 12 13 14",
    ),
    (
        "Dell {} 24 inch LED monitor",
        "Monitor 24 inch, LED, Dell {}",
        "P2419H P2422H U2419H S2421HN",
    ),
    (
        "LG {} 55 inch 4K smart television",
        "55 inch smart TV by LG, {}, 4K",
        "55UN7300 55UP7500 55NANO85 55UM7100",
    ),
    (
        "Intel Core {} desktop processor, boxed",
        "Boxed desktop CPU Intel Core {}",
        "i5-9400F i5-9600K i7-9700K i7-8700",
    ),
    (
        "Gigabyte GeForce {} graphics card 6 GB",
        "Graphics card with 6 GB, Gigabyte GeForce {}",
        "GTX1060 GTX1660 RTX2060 GTX1650",
    ),
    (
        "Seagate Barracuda {} internal hard drive 2 TB",
        "Internal hard disk Seagate Barracuda, 2 TB, {}",
        "ST2000DM006 ST2000DM008 ST2000LM015 ST2000DX002",
    ),
    (
        "Netgear Nighthawk {} wifi router",
        "Router Netgear {} Nighthawk, wireless",
        "R7000 R7800 R6700 R8000",
    ),
    (
        "Bosch {} cordless drill with two batteries",
        "Cordless drill driver Bosch {}, two batteries included",
        "GSR120 GSR180 PSR1800 GSB18V-28",
    ),
    (
        "Philips {} electric shaver, wet and dry",
        "Wet and dry electric shaver from Philips, {}",
        "S5420 S5572 S7310 S9031",
    ),
    (
        "Braun Oral-B {} electric toothbrush white",
        "White electric toothbrush Oral-B {} by Braun",
        "1000 3000 5000 7000",
    ),
    (
        "Casio {} scientific calculator",
        "Scientific pocket calculator Casio {}, new",
        "FX-82MS FX-991EX FX-300ES FX-115ES",
    ),
    (
        "Michelin Primacy {} summer tyre",
        "Summer tyre from Michelin, Primacy {}",
        "195/65R15 205/55R16 215/60R16 225/45R17",
    ),
    (
        "Lego Technic {} building set for children",
        "Building set for kids, Lego Technic {}",
        "42100 42110 42115 42083",
    ),
)


def title_pairs() -> tuple[list[tuple[str, str]], list[bool]]:
    """Pairs of titles, and which of them are the same product.

    Each title with itself in other words, and with the title of the next model in the
    same words.
    """
    pairs, same = [], []
    for title, reworded, models in TEMPLATES:
        names = models.split()
        for name, other in zip(names, [*names[1:], names[0]], strict=True):
            first = title.format(name)
            pairs += [(first, reworded.format(name)), (first, title.format(other))]
            same += [True, False]
    return pairs, same
