// .fsa, communicating machines: see round_trip.h for what is checked.
#include <cstdint>

#include "formats/fsa/fsa.h"
#include "fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    treaty::fuzz::round_trip("fsa", data, size, treaty::formats::read_fsa, treaty::formats::write_fsa);
    return 0;
}
