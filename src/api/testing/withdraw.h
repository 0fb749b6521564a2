// A cash machine in one protocol, for the tests of questions about abstract tests.
#pragma once

namespace treaty::api {

inline constexpr const char* withdraw = R"(protocol Withdraw(C, A, B) {
  C -> A: withdraw
  A -> B: authW
  choice at B {
    B -> A: deny
    A -> C: bye
  } or {
    B -> A: allow
    A -> C: money
  }
}
)";

}  // namespace treaty::api
