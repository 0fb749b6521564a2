#include "drive/stage.h"

#include <algorithm>

namespace treaty::drive {

std::size_t unsent(std::span<Transport* const> transports) {
    std::size_t all = 0;
    for (const Transport* one : transports) all += one->unsent();
    return all;
}

void send_out(Stage& stage, std::span<Transport* const> transports, Clock::duration patience,
              const base::Deadline& deadline) {
    std::size_t left = unsent(transports);
    Time until = stage.now() + patience;
    while (left > 0 && stage.now() < until && !deadline.interrupted()) {
        stage.wait(transports, std::min(until, stage.now() + std::chrono::milliseconds(100)));
        for (Transport* one : transports)
            while (one->receive()) {
            }
        std::size_t now = unsent(transports);
        if (now < left) until = stage.now() + patience;
        left = now;
        if (stage.ending().ended) return;
    }
}

}  // namespace treaty::drive
