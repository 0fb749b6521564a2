// .sgg, global graphs of ChorGram: what is read can be written as .gc, which is read here, too. See
// round_trip.h.
#include <cstdint>

#include "formats/gc/gc.h"
#include "fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    treaty::fuzz::round_trip("sgg", data, size, treaty::formats::read_sgg, treaty::formats::write_gc);
    return 0;
}
