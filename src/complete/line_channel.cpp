#include "complete/line_channel.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "drive/process_stage.h"
#include "net/address.h"
#include "process/placeholders.h"

namespace treaty::complete {
namespace {

using base::Clock;
using std::chrono::milliseconds;

constexpr std::string_view standard_streams = "stdio:";

// There is one conversation, so one role.
const model::RoleId tester{0u};

std::unique_ptr<drive::Stage> stage_for(const Place& place) {
    drive::ProgramOptions options;
    options.command = place.command;
    options.via[tester] = place.via;
    options.surroundings = place.surroundings;
    options.keep = place.command.empty();  // so that a listening socket stays
    return drive::make_process_stage(std::move(options));
}

}  // namespace

bool looks_like_address(std::string_view text) {
    std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    std::string_view scheme = text.substr(0, colon);
    if (scheme == "unix" || scheme == "unix-listen" || scheme == "stdio") return true;
    return text.substr(colon).starts_with("://") &&
           scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos;
}

base::Result<Place> parse_place(const std::string& sut, const std::string& via) {
    Place place;
    if (via.empty() && looks_like_address(sut)) {
        place.via = sut;
    } else {
        place.command = sut;
        place.via = via.empty() ? std::string(standard_streams) : via;
    }
    auto address = net::parse_address(process::expand(place.via, {{"port", "1"}, {"tmp", "t"}}));
    if (!address) return base::Fault{address.error()};
    if (place.command.empty() && address->kind == net::AddressKind::stdio)
        return base::Fault{"stdio: needs a command"};
    place.calls = address->listen;
    place.bound = !place.command.empty() ||
                  (address->kind != net::AddressKind::udp && address->layer != net::Layer::http);
    return place;
}

LineChannel::LineChannel(Place place) : place_(std::move(place)), stage_(stage_for(place_)) {}

base::Result<void> LineChannel::open(milliseconds patience) {
    close();
    if (auto begun = stage_->begin(); !begun) return begun;
    auto transport = stage_->open(tester, Clock::now() + patience);
    if (!transport) {
        stage_->end(Clock::now());
        return base::Fault{transport.error()};
    }
    transport_ = std::move(*transport);
    return {};
}

void LineChannel::close() {
    if (!transport_) return;
    transport_->answer_open_requests();
    transport_->finish();
    net::Transport* one = transport_.get();
    drive::send_out(*stage_, {&one, 1}, std::chrono::seconds(2));
    transport_.reset();
    buffer_.clear();
    stage_->end(Clock::now());
}

bool LineChannel::write(std::string_view line) {
    std::string text(line);
    if (!transport_->whole_messages()) text += '\n';
    return transport_->send(text);
}

// Puts received bytes into the buffer; a whole message is a line however it ends.
bool LineChannel::fill() {
    auto piece = transport_->receive();
    if (!piece) return false;
    buffer_.append(*piece);
    if (transport_->whole_messages() && !buffer_.ends_with('\n')) buffer_ += '\n';
    return true;
}

bool LineChannel::take_line(std::string& line) {
    std::size_t stop = buffer_.find('\n');
    if (stop == std::string::npos) return false;
    line = buffer_.substr(0, stop);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    buffer_.erase(0, stop + 1);
    return true;
}

LineChannel::ReadResult LineChannel::read(std::string& line, milliseconds patience) {
    auto end = Clock::now() + patience;
    while (!take_line(line)) {
        if (buffer_.size() > max_line) return ReadResult::too_long;
        if (fill()) continue;
        if (transport_->closed() || !transport_->fault().empty()) return ReadResult::closed;
        // Not every transport shows that its other side is gone.
        if (stage_->ending().ended) {
            if (!fill()) return ReadResult::closed;
            continue;
        }
        if (Clock::now() >= end) return ReadResult::silence;
        net::Transport* one = transport_.get();
        stage_->wait({&one, 1}, end);
    }
    return ReadResult::line;
}

std::string LineChannel::ending() {
    std::string fault = transport_ ? transport_->fault() : "";
    if (!fault.empty()) return fault;
    if (place_.command.empty()) return "the connection was closed";
    stage_->end(Clock::now() + std::chrono::seconds(1));
    const process::Ending& how = stage_->ending();
    if (!how.ended || how.by_us) return "it closed its output";
    if (how.signal != 0) return fmt::format("it was killed by signal {}", how.signal);
    return fmt::format("it exited with {}", how.status);
}

std::string LineChannel::last_words() const {
    std::string_view said = stage_->errors();
    said = said.substr(0, said.find_last_not_of("\r\n \t") + 1);
    std::size_t start = said.rfind('\n');
    return std::string(start == std::string_view::npos ? said : said.substr(start + 1));
}

}  // namespace treaty::complete
