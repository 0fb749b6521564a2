// .pnml, place/transition nets: see round_trip.h for what is checked.
#include <cstdint>

#include "formats/pnml/pnml.h"
#include "fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    treaty::fuzz::round_trip("pnml", data, size, treaty::formats::read_pnml, treaty::formats::write_pnml);
    return 0;
}
