// The distinct data of edges is in a separate table, in the order in which the machine numbers them:
// edges with equal label and target are ordered by that number, so keeping it keeps their order.

#include "formats/json/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats {
namespace {

using model::StateId;

// States that no transition mentions cost memory but no text.
constexpr std::size_t max_idle_states = 10'000'000;

class MachineWriter {
public:
    MachineWriter(JsonWriter& out, const model::Machine& machine, JsonDataWriter* data)
        : out_(out), m_(machine), data_(data) {}

    void write() {
        collect();
        out_.integer("states", static_cast<std::int64_t>(m_.state_count()));
        out_.key("final").open_array(Layout::flat);
        for (std::size_t s = 0; s < m_.state_count(); ++s)
            if (m_.final(StateId(s))) out_.integer(static_cast<std::int64_t>(s));
        out_.close_array();
        write_names();
        if (!table_.empty()) {
            out_.key("data").open_array();
            for (const model::EdgeData* d : table_) write_data(*d);
            out_.close_array();
        }
        out_.key("transitions").open_array();
        for (std::size_t s = 0; s < m_.state_count(); ++s) {
            auto edges = m_.out(StateId(s));
            for (std::size_t i = 0; i < edges.size(); ++i) {
                out_.open_object(Layout::flat);
                out_.integer("from", static_cast<std::int64_t>(s));
                out_.integer("to", edges[i].target.index);
                out_.integer("event", edges[i].label.index);
                if (carries(StateId(s), i)) out_.integer("data", position(&m_.data(StateId(s), i)));
                out_.close_object();
            }
        }
        out_.close_array();
    }

private:
    bool carries(StateId s, std::size_t i) const { return data_ && m_.has_data() && !m_.data(s, i).empty(); }

    // The machine keeps its data in one array, so their addresses are in the order of their numbers.
    void collect() {
        for (std::size_t s = 0; s < m_.state_count(); ++s)
            for (std::size_t i = 0; i < m_.out(StateId(s)).size(); ++i)
                if (carries(StateId(s), i)) table_.push_back(&m_.data(StateId(s), i));
        std::sort(table_.begin(), table_.end(), std::less<>());
        table_.erase(std::unique(table_.begin(), table_.end()), table_.end());
    }
    std::int64_t position(const model::EdgeData* data) const {
        return std::lower_bound(table_.begin(), table_.end(), data, std::less<>()) - table_.begin();
    }

    void write_names() {
        bool any = false;
        for (std::size_t s = 0; s < m_.state_count(); ++s) any = any || !m_.state_name(StateId(s)).empty();
        if (!any) return;
        out_.key("names").open_array(Layout::flat);
        for (std::size_t s = 0; s < m_.state_count(); ++s) out_.text(m_.state_name(StateId(s)));
        out_.close_array();
    }

    void write_data(const model::EdgeData& d) {
        out_.open_object(Layout::flat);
        data_->condition("guard", d.guard);
        data_->arguments("arguments", d.data);
        data_->condition("where", d.where);
        data_->assignments("assignments", d.assignments);
        out_.close_object();
    }

    JsonWriter& out_;
    const model::Machine& m_;
    JsonDataWriter* data_;  // null without a pool
    std::vector<const model::EdgeData*> table_;
};

void write_identity(JsonWriter& out, const model::Machine& machine) {
    out.text("name", machine.name());
    if (machine.role()) out.text("role", machine.alphabet().name(machine.role()));
}

class MachineReader {
public:
    MachineReader(JsonReader& in, JsonAlphabet& alphabet, JsonDataReader* data,
                  std::shared_ptr<expr::Pool> pool)
        : in_(in), alphabet_(alphabet), data_(data), pool_(std::move(pool)) {}

    std::optional<model::Machine> read(Json object) {
        std::string name = in_.need_text(object, "name");
        model::RoleId role = read_role(in_, *alphabet_.alphabet, in_.maybe(object, "role"));
        builder_.emplace(std::move(name), alphabet_.alphabet, role, pool_);
        Json transitions = in_.need_array(object, "transitions");
        states(object, transitions ? transitions.size() : 0);
        read_data(in_.maybe_array(object, "data"));
        if (!in_.ok() || !transitions) return std::nullopt;
        edges(transitions);
        if (!in_.ok()) return std::nullopt;
        auto machine = builder_->finish();
        if (!machine) in_.report(codes::json_model, object, builder_->fault());
        return machine;
    }

private:
    void states(Json object, std::size_t edges) {
        Json count_value = in_.need(object, "states");
        auto limit = static_cast<std::int64_t>(2 * edges + max_idle_states);
        count_ = static_cast<std::size_t>(in_.integer(count_value, 1, limit));
        Json names = in_.maybe_array(object, "names");
        if (names && names.size() != count_) {
            in_.report(codes::json_model, names,
                       fmt::format("there are {} states, not {}", count_, names.size()));
            return;
        }
        if (!in_.ok()) return;
        Json name = names ? names.first() : Json();
        for (std::size_t s = 0; s < count_; ++s, name = name ? name.next() : Json())
            builder_->state(false, name ? in_.text(name) : std::string());
        if (Json finals = in_.maybe_array(object, "final"))
            for (Json s : finals.items())
                if (StateId id = state(s)) builder_->set_final(id);
    }

    StateId state(Json value) {
        std::uint32_t i = in_.index(value, count_, "states");
        return i == JsonReader::none_index ? StateId() : StateId(i);
    }

    void read_data(Json array) {
        if (!array) return;
        if (!data_) {
            in_.report(codes::json_model, array, "this data has no variables");
            return;
        }
        for (Json d : array.items()) {
            if (!in_.is(d, JsonKind::object)) continue;
            model::EdgeData data;
            data.guard = data_->condition(d, "guard");
            data.data = data_->arguments(in_.maybe_array(d, "arguments"), {}, false);
            data.where = data_->condition(d, "where");
            data.assignments = data_->assignments(in_.maybe_array(d, "assignments"));
            table_.push_back(std::move(data));
        }
    }

    // In the order of their data, so that the machine numbers the data as the file does.
    void edges(Json array) {
        struct Raw {
            StateId from, to;
            model::LabelId label;
            std::uint32_t data;  // 0: none
        };
        std::vector<Raw> all;
        all.reserve(array.size());
        for (Json e : array.items()) {
            if (!in_.is(e, JsonKind::object)) continue;
            Raw raw{state(in_.need(e, "from")), state(in_.need(e, "to")), {}, 0};
            raw.label = alphabet_.event(in_, in_.need(e, "event"));
            if (Json d = e["data"]) {
                std::uint32_t i = in_.index(d, table_.size(), "entries of data");
                raw.data = i == JsonReader::none_index ? 0 : i + 1;
            }
            all.push_back(raw);
        }
        if (!in_.ok()) return;
        std::stable_sort(all.begin(), all.end(), [](const Raw& a, const Raw& b) { return a.data < b.data; });
        for (const Raw& raw : all)
            builder_->edge(raw.from, raw.label, raw.to, {},
                           raw.data ? table_[raw.data - 1] : model::EdgeData());
    }

    JsonReader& in_;
    JsonAlphabet& alphabet_;
    JsonDataReader* data_;
    std::shared_ptr<expr::Pool> pool_;
    std::optional<model::MachineBuilder> builder_;
    std::size_t count_ = 0;
    std::vector<model::EdgeData> table_;
};

// The tables of a pool of its own.
struct OwnData {
    std::shared_ptr<base::Names> names = std::make_shared<base::Names>();
    std::shared_ptr<expr::Types> types = std::make_shared<expr::Types>();
    std::shared_ptr<expr::Pool> pool = std::make_shared<expr::Pool>(types, names);
    JsonDataReader reader;

    OwnData(JsonReader& in, Json object) : reader(in, types, names, pool) { reader.read(object); }
};

}  // namespace

void write_machine_json(JsonWriter& out, const model::Machine& machine) {
    write_identity(out, machine);
    bool data = machine.has_data() && machine.pool();
    std::optional<JsonDataWriter> writer;
    if (data) writer.emplace(out, *machine.pool());
    if (data) writer->write_head();
    write_alphabet(out, machine.alphabet());
    MachineWriter(out, machine, data ? &*writer : nullptr).write();
    if (data) writer->write_expressions();
}

// Machines that share one pool share one data part; otherwise each has its own.
void write_system_json(JsonWriter& out, const model::System& system) {
    out.text("name", system.name());
    out.text("mode", model::to_string(system.channels().mode));
    if (system.channels().bound) out.integer("bound", *system.channels().bound);
    const expr::Pool* common = nullptr;
    bool one = true;
    for (const model::Machine& m : system.machines()) {
        if (!m.has_data() || !m.pool()) continue;
        if (!common) common = m.pool().get();
        one = one && common == m.pool().get();
    }
    std::optional<JsonDataWriter> shared;
    if (common && one) {
        shared.emplace(out, *common);
        shared->write_head();
    }
    write_alphabet(out, system.alphabet());
    out.key("machines").open_array();
    for (const model::Machine& m : system.machines()) {
        out.open_object();
        write_identity(out, m);
        if (!m.has_data() || !m.pool()) {
            MachineWriter(out, m, nullptr).write();
        } else if (shared) {
            MachineWriter(out, m, &*shared).write();
        } else {
            JsonDataWriter own(out, *m.pool());
            own.write_head();
            MachineWriter(out, m, &own).write();
            own.write_expressions();
        }
        out.close_object();
    }
    out.close_array();
    if (shared) shared->write_expressions();
}

std::optional<model::Machine> read_machine_json(JsonReader& in, Json object) {
    JsonAlphabet alphabet;
    alphabet.read(in, in.need(object, "alphabet"));
    std::optional<OwnData> data;
    if (has_data_part(object)) data.emplace(in, object);
    if (!in.ok()) return std::nullopt;
    return MachineReader(in, alphabet, data ? &data->reader : nullptr, data ? data->pool : nullptr)
        .read(object);
}

std::optional<model::System> read_system_json(JsonReader& in, Json object) {
    std::string name = in.need_text(object, "name");
    model::Channels channels;
    Json mode = in.need(object, "mode");
    if (in.is_text(mode)) {
        auto parsed = model::parse_mode(in.text(mode));
        if (!parsed) in.report(codes::json_type, mode, "unknown mode");
        channels.mode = parsed.value_or(model::Mode::fifo);
    }
    if (Json bound = in.maybe(object, "bound"))
        channels.bound = static_cast<std::uint32_t>(in.integer(bound, 0, 0xffffffff));
    JsonAlphabet alphabet;
    alphabet.read(in, in.need(object, "alphabet"));
    std::optional<OwnData> shared;
    if (has_data_part(object)) shared.emplace(in, object);
    Json list = in.need_array(object, "machines");
    if (!in.ok()) return std::nullopt;
    std::vector<model::Machine> machines;
    constexpr std::size_t max_machines = 10'000;
    if (list.size() > max_machines) {
        in.report(codes::json_too_large, list, fmt::format("more than {} machines", max_machines));
        return std::nullopt;
    }
    for (Json m : list.items()) {
        if (!in.is(m, JsonKind::object)) continue;
        std::optional<OwnData> own;
        if (has_data_part(m)) own.emplace(in, m);
        OwnData* data = own ? &*own : shared ? &*shared : nullptr;
        auto machine =
            MachineReader(in, alphabet, data ? &data->reader : nullptr, data ? data->pool : nullptr).read(m);
        if (machine) machines.push_back(std::move(*machine));
    }
    if (!in.ok()) return std::nullopt;
    std::string fault;
    auto system = model::make_system(std::move(name), std::move(machines), channels, &fault);
    if (!system) in.report(codes::json_model, list, fault);
    return system;
}

}  // namespace treaty::formats
