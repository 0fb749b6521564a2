// The reader of the language server's messages: no bytes crash it; what comes out does not depend on the
// pieces in which they came; after a complete message the next one is read.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "lsp/message_reader.h"

namespace {

using namespace treaty;

void read_all(lsp::MessageReader& reader, std::vector<lsp::Incoming>& out) {
    while (auto one = reader.next()) {
        TREATY_CHECK(one->fault != 0 || one->message.is_object());
        out.push_back(std::move(*one));
    }
}

std::vector<lsp::Incoming> read(std::string_view bytes, std::size_t piece) {
    lsp::MessageReader reader;
    std::vector<lsp::Incoming> out;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        reader.feed(bytes.substr(0, piece));
        read_all(reader, out);
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto whole = read(bytes, size + 1);
    const auto pieces = read(bytes, 7);
    TREATY_CHECK(whole.size() == pieces.size());
    for (std::size_t i = 0; i < whole.size(); ++i)
        TREATY_CHECK(whole[i].fault == pieces[i].fault && whole[i].message == pieces[i].message);
    return 0;
}
