// .mmd, sequence diagrams: see round_trip.h for what is checked.
#include <cstdint>

#include "formats/diagram/diagram.h"
#include "fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    treaty::fuzz::round_trip("mmd", data, size, treaty::formats::read_mermaid,
                             treaty::formats::write_mermaid);
    return 0;
}
