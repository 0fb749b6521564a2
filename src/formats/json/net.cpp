#include "formats/json/net.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/json/alphabet.h"
#include "formats/json/data.h"

namespace treaty::formats {
namespace {

using model::PlaceId;

constexpr std::int64_t max_places = 10'000'000;

void write_places(JsonWriter& out, std::string_view key, std::span<const PlaceId> places) {
    out.key(key).open_array(Layout::flat);
    for (PlaceId p : places) out.integer(p.index);
    out.close_array();
}

std::vector<PlaceId> read_places(JsonReader& in, Json array, std::size_t count) {
    std::vector<PlaceId> places;
    if (!array) return places;
    for (Json p : array.items()) {
        std::uint32_t i = in.index(p, count, "places");
        if (i != JsonReader::none_index) places.push_back(PlaceId(i));
    }
    return places;
}

void write_names(JsonWriter& out, std::span<const model::Place> places) {
    bool named = std::any_of(places.begin(), places.end(), [](const auto& p) { return !p.name.empty(); });
    if (!named) return;
    out.key("names").open_array(Layout::flat);
    for (const model::Place& p : places) out.text(p.name);
    out.close_array();
}

void read_names(JsonReader& in, Json names, std::vector<model::Place>& places) {
    if (!names) return;
    if (names.size() != places.size()) {
        in.report(codes::json_model, names,
                  fmt::format("there are {} places, not {}", places.size(), names.size()));
        return;
    }
    std::size_t i = 0;
    for (Json name : names.items()) places[i++].name = in.text(name);
}

bool has_data(const model::Net& net) {
    return net.pool() && std::any_of(net.transitions().begin(), net.transitions().end(), [](const auto& t) {
               return t.guard || t.where || !t.data.empty() || !t.assignments.empty();
           });
}

}  // namespace

void write_net_json(JsonWriter& out, const model::Net& net) {
    out.text("name", net.name());
    std::optional<JsonDataWriter> data;
    if (has_data(net)) {
        data.emplace(out, *net.pool());
        data->write_head();
    }
    write_alphabet(out, net.alphabet());
    out.integer("places", static_cast<std::int64_t>(net.places().size()));
    write_names(out, net.places());
    std::vector<PlaceId> semaphores;
    for (std::size_t i = 0; i < net.places().size(); ++i)
        if (net.places()[i].semaphore) semaphores.push_back(PlaceId(i));
    if (!semaphores.empty()) write_places(out, "semaphores", semaphores);
    write_places(out, "initial", net.initial());
    write_places(out, "final", net.final());
    out.key("transitions").open_array();
    for (const model::Transition& t : net.transitions()) {
        out.open_object(Layout::flat);
        out.integer("event", t.label.index);
        write_places(out, "from", t.from);
        write_places(out, "to", t.to);
        if (!t.clears.empty()) write_places(out, "clears", t.clears);
        if (data) {
            data->condition("guard", t.guard);
            data->arguments("arguments", t.data);
            data->condition("where", t.where);
            data->assignments("assignments", t.assignments);
        }
        out.close_object();
    }
    out.close_array();
    if (data) data->write_expressions();
}

std::optional<model::Net> read_net_json(JsonReader& in, Json object) {
    JsonAlphabet alphabet;
    std::string name = in.need_text(object, "name");
    alphabet.read(in, in.need(object, "alphabet"));
    auto names = std::make_shared<base::Names>();
    auto types = std::make_shared<expr::Types>();
    auto pool = std::make_shared<expr::Pool>(types, names);
    JsonDataReader data(in, types, names, pool);
    bool with_data = has_data_part(object);
    if (with_data) data.read(object);
    auto count = static_cast<std::size_t>(in.integer(in.need(object, "places"), 1, max_places));
    Json list = in.need_array(object, "transitions");
    if (!in.ok()) return std::nullopt;

    model::NetBuilder builder(std::move(name), alphabet.alphabet, with_data ? pool : nullptr);
    for (std::size_t i = 0; i < count; ++i) builder.place();
    read_names(in, in.maybe_array(object, "names"), builder.places());
    for (PlaceId p : read_places(in, in.maybe_array(object, "semaphores"), count))
        builder.places()[p.index].semaphore = true;
    for (PlaceId p : read_places(in, in.need_array(object, "initial"), count)) builder.initial(p);
    for (PlaceId p : read_places(in, in.need_array(object, "final"), count)) builder.final(p);
    for (Json value : list.items()) {
        if (!in.is(value, JsonKind::object)) continue;
        model::Transition t;
        t.label = alphabet.event(in, in.need(value, "event"));
        t.from = read_places(in, in.need_array(value, "from"), count);
        t.to = read_places(in, in.need_array(value, "to"), count);
        t.clears = read_places(in, in.maybe_array(value, "clears"), count);
        if (with_data) {
            t.guard = data.condition(value, "guard");
            t.data = data.arguments(in.maybe_array(value, "arguments"), {}, false);
            t.where = data.condition(value, "where");
            t.assignments = data.assignments(in.maybe_array(value, "assignments"));
        }
        builder.transition(std::move(t));
    }
    if (!in.ok()) return std::nullopt;
    auto net = builder.finish();
    if (!net) in.report(codes::json_model, object, builder.fault());
    return net;
}

}  // namespace treaty::formats
