// .proto files (protobuf, syntax proto2 and proto3), in only: the calls of services as protocols between a
// client and a server, and messages with their exact encoding.
//
// The compiler library of protobuf reads the file and those that it imports (descriptors.cpp); what it found
// becomes a .treaty text with comments where the file does not state something, which is read like any other.
// Each service is a protocol: a loop in which the client chooses a call. A call is framed as in gRPC, one
// byte that is 0 and four bytes of length before each message, with a line before it that names the call;
// HTTP/2 is not there. A file without services is its messages, one wire for each. What has no counterpart is
// reported (T0863), never left out silently. Bounded: files of a MiB, 100 of them, and 20,000 fields in
// layouts.
#pragma once

#include "formats/notation.h"

namespace treaty::formats {

Loaded load_proto(const Loading& loading);

}  // namespace treaty::formats
