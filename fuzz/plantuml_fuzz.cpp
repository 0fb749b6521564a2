// .puml, sequence diagrams: see round_trip.h for what is checked.
#include <cstdint>

#include "formats/diagram/diagram.h"
#include "fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    treaty::fuzz::round_trip("puml", data, size, treaty::formats::read_plantuml,
                             treaty::formats::write_plantuml);
    return 0;
}
