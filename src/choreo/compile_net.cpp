#include "choreo/compile_net.h"

#include "choreo/net_compiler.h"

namespace treaty::choreo {

std::optional<model::Net> compile_net(const model::Specification& specification,
                                      const model::Protocol& protocol) {
    return compile_view(specification, protocol, nullptr);
}

}  // namespace treaty::choreo
