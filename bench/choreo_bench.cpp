// How long projecting takes where parts multiply: ten parallel pairs, and choices nested twelve deep.
//
//   choreo_bench [ROUNDS]
//
// Prints the best time of each and what came out. Nets of parallel branches are never multiplied out;
// machines are those of one role, whose own part is small.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "choreo/project.h"
#include "choreo/project_net.h"

namespace treaty {
namespace {

using model::ProtocolBuilder;
using model::RoleId;
using model::Span;
using Clock = std::chrono::steady_clock;

std::string numbered(const char* name, int i) {
    return name + std::to_string(i);
}

void interact(model::Specification& s, ProtocolBuilder& builder, RoleId from, RoleId to,
              const std::string& message) {
    model::MessageId id = s.alphabet->message(message);
    if (s.messages.size() <= id.index) s.messages.resize(id.index + 1);
    builder.interaction(Span{}, from, to, id);
}

model::Protocol parallel_pairs(model::Specification& s, int pairs) {
    std::vector<RoleId> roles;
    for (int i = 0; i < pairs; ++i)
        for (const char* side : {"A", "B"}) roles.push_back(s.alphabet->role(numbered(side, i)));
    ProtocolBuilder builder("Pairs", Span{}, roles);
    builder.open(model::NodeKind::parallel, Span{});
    for (int i = 0; i < pairs; ++i) {
        auto at = static_cast<std::size_t>(2 * i);
        builder.open(model::NodeKind::sequence, Span{});
        interact(s, builder, roles[at], roles[at + 1], numbered("ask", i));
        interact(s, builder, roles[at + 1], roles[at], numbered("answer", i));
        builder.close();
    }
    builder.close();
    return *builder.finish();
}

void nest(model::Specification& s, ProtocolBuilder& builder, std::span<const RoleId> roles, int depth,
          const std::string& path) {
    if (depth == 0) return interact(s, builder, roles[0], roles[2], "end" + path);
    builder.open_choice(Span{}, roles[0]);
    for (const char* branch : {"l", "r"}) {
        builder.open(model::NodeKind::sequence, Span{});
        interact(s, builder, roles[0], roles[1], branch + path);
        nest(s, builder, roles, depth - 1, path + branch);
        builder.close();
    }
    builder.close();
}

template <class F>
double best_of(int rounds, F&& work) {
    double best = 1e9;
    for (int i = 0; i < rounds; ++i) {
        auto start = Clock::now();
        work();
        best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    return best;
}

void measure(const char* name, const model::Specification& s, const model::Protocol& protocol, int rounds) {
    std::size_t states = 0, places = 0;
    double nets = best_of(rounds, [&] {
        places = 0;
        for (RoleId role : protocol.roles())
            places += choreo::project_net(s, protocol, role)->places().size();
    });
    double machines = best_of(rounds, [&] {
        states = 0;
        for (RoleId role : protocol.roles())
            states += choreo::project(s, protocol, role).machine->state_count();
    });
    std::printf("%-28s %6zu %10.2f %10zu %12.2f %10zu\n", name, protocol.roles().size(), nets, places,
                machines, states);
}

}  // namespace
}  // namespace treaty

int main(int argc, char** argv) {
    using namespace treaty;
    int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    std::printf("projecting every role\n\n%-28s %6s %10s %10s %12s %10s\n", "protocol", "roles", "nets, ms",
                "places", "machines, ms", "states");
    model::Specification first, second;
    measure("ten parallel pairs", first, parallel_pairs(first, 10), rounds);
    std::vector<RoleId> roles{second.alphabet->role("A"), second.alphabet->role("B"),
                              second.alphabet->role("C")};
    ProtocolBuilder builder("Nested", base::Span{}, roles);
    nest(second, builder, roles, 12, "");
    measure("choices nested 12 deep", second, *builder.finish(), rounds);
    return 0;
}
