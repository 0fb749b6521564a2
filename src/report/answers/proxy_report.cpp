#include "report/answers.h"

#include "api/proxy.h"

namespace treaty::report {

Own own_part(const api::ProxyAnswer& answer) {
    Own own;
    if (!answer.verdict) return own;
    const watch::ProxyCounts& counts = answer.counts;
    own.fields = {{"connections", counts.connections}, {"refused", counts.refused},
                  {"broken", counts.broken},           {"bytes", counts.bytes},
                  {"records", counts.records},         {"held", counts.held}};
    return own;
}

}  // namespace treaty::report
