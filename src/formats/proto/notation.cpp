#include "formats/notation.h"

#include "formats/proto/proto.h"

namespace treaty::formats {

std::vector<Notation> proto_notations() {
    return {{.title = "protobuf and gRPC",
             .extensions = {"proto"},
             .carries = "messages with their encoding, calls and streams of services over framed TCP",
             .section = "protobuf and gRPC",
             .owns_extension = false,
             .load = load_proto}};
}

}  // namespace treaty::formats
