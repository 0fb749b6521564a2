#include "formats/pnml.h"

#include <gtest/gtest.h>

#include "formats/random_models_test.h"
#include "formats/testing_test.h"

namespace treaty::formats {
namespace {

using testing::written;

auto read(std::string text) {
    return testing::read<model::Net>(read_pnml, "x.pnml", std::move(text));
}

std::string faults(std::string text) {
    auto r = read(std::move(text));
    EXPECT_EQ(r->model.has_value(), r->diagnostics.ok());
    return testing::listing(r->diagnostics);
}

std::string show(const model::Net& net) {
    std::string out;
    auto list = [&](std::string_view name, std::span<const model::PlaceId> places) {
        out += name;
        for (model::PlaceId p : places) out += fmt::format(" {}", p.index);
    };
    list("initial", net.initial());
    list(", final", net.final());
    out += ", semaphores";
    for (std::size_t i = 0; i < net.places().size(); ++i)
        if (net.places()[i].semaphore) out += fmt::format(" {}", i);
    for (const model::Transition& t : net.transitions()) {
        out += fmt::format("; <{}>", net.alphabet().print(t.label));
        list("", t.from);
        list(" ->", t.to);
    }
    return out;
}

std::string pnml(std::string inside, std::string type = "http://www.pnml.org/version-2009/grammar/ptnet") {
    return "<?xml version=\"1.0\"?><pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net "
           "id=\"n\" type=\"" +
           type + "\">" + inside + "</net></pnml>";
}

const std::string marked = "<place id=\"p\"><initialMarking><text> 1 </text></initialMarking></place>";

TEST(pnml_reader, other_peoples_nets) {
    auto r =
        read(pnml("<page id=\"g\">" + marked +
                  "<place id=\"q\"/><page id=\"h\"><referencePlace id=\"r\" ref=\"q\"/>"
                  "<transition id=\"t\"><name><text>go &amp; see</text></name></transition>"
                  "<arc id=\"a\" source=\"p\" target=\"t\"/><arc id=\"b\" source=\"t\" target=\"r\">"
                  "<inscription><text>1</text></inscription></arc></page>"
                  "<transition id=\"u\"/><arc id=\"c\" source=\"q\" target=\"u\"/>"
                  "<transition id=\"v\"><name><text>x</text></name><toolspecific tool=\"ProM\" version=\"6\" "
                  "activity=\"$invisible$\"/></transition><arc id=\"d\" source=\"q\" target=\"v\"/>"
                  "</page><finalmarkings><marking><place idref=\"q\"><text>1</text></place></marking>"
                  "</finalmarkings>"));
    ASSERT_TRUE(r->model) << testing::listing(r->diagnostics);
    EXPECT_EQ(show(*r->model), "initial 0, final 1, semaphores; <u> 1 ->; <tau> 1 ->; <go & see> 0 -> 1");
    EXPECT_EQ(r->model->name(), "n");
}

TEST(pnml_reader, each_fault_has_its_message) {
    EXPECT_EQ(faults("<pnml"), "T0690 Error parsing start element tag\n");
    EXPECT_EQ(faults(""), "T0690 No document element found\n");
    EXPECT_EQ(faults("<a/>"), "T0691 there is no net in this file\n");
    EXPECT_EQ(faults("<pnml><net id=\"a\"/><net id=\"b\"/></pnml>"), "T0691 a second net in one file\n");
    EXPECT_EQ(faults(pnml(marked, "http://www.pnml.org/version-2009/grammar/symmetricnet")),
              "T0692 nets of type `http://www.pnml.org/version-2009/grammar/symmetricnet` are not read\n");
    EXPECT_EQ(faults(pnml(marked + "<place/>")), "T0693 this place has no id\n");
    EXPECT_EQ(faults(pnml(marked + marked)), "T0693 a second `p`\n");
    std::string t = "<transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/>";
    EXPECT_EQ(faults(pnml(marked + t)), "");
    EXPECT_EQ(faults(pnml(marked + t + "<arc id=\"b\" source=\"t\" target=\"x\"/>")),
              "T0694 the target `x` of this arc is unknown\n");
    EXPECT_EQ(faults(pnml(marked + t + "<arc id=\"b\" source=\"t\" target=\"t\"/>")),
              "T0695 an arc joins a place and a transition\n");
    EXPECT_EQ(faults(pnml(marked + t + "<arc id=\"b\" source=\"p\" target=\"t\"/>")),
              "T0696 a second arc between the same two, which would be one of weight 2\n");
    EXPECT_EQ(faults(pnml(
                  marked + t +
                  "<arc id=\"b\" source=\"t\" target=\"p\"><inscription><text>2</text></inscription></arc>")),
              "T0696 an arc has weight 1\n");
    EXPECT_EQ(faults(pnml(marked + t +
                          "<arc id=\"b\" source=\"t\" target=\"p\"><type value=\"inhibitor\"/></arc>")),
              "T0692 arcs of type `inhibitor` are not read\n");
    EXPECT_EQ(faults(pnml("<place id=\"p\"><initialMarking><text>2</text></initialMarking></place>")),
              "T0696 a place has at most one token at the start\nT0698 no place of this net is marked at the "
              "start\n");
    EXPECT_EQ(faults(pnml(marked + "<transition id=\"t\"/>")), "T0697 this transition takes from no place\n");
    EXPECT_EQ(faults(pnml("<place id=\"p\"/>")), "T0698 no place of this net is marked at the start\n");
    EXPECT_EQ(
        faults(pnml(marked + "<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" ref=\"r\"/>")),
        "T0694 `s` is not a place of this file\nT0694 `r` is not a place of this file\n");
    std::string event =
        "<transition id=\"t\"><toolspecific tool=\"treaty\" version=\"1\"><event kind=\"{}\" from=\"A\" "
        "to=\"A\" message=\"m\"/></toolspecific></transition><arc id=\"a\" source=\"p\" target=\"t\"/>";
    EXPECT_EQ(faults(pnml(marked + fmt::format(fmt::runtime(event), "x"))),
              "T0699 an event of unknown kind `x`\n");
    EXPECT_EQ(faults(pnml(marked + fmt::format(fmt::runtime(event), "send"))),
              "T0699 sender and receiver of an event are different roles\n");
}

TEST(pnml_reader, hostile_texts) {
    // Entities are not expanded: what a declaration says stays unread.
    std::string bomb =
        "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">"
        "<!ENTITY e SYSTEM \"file:///etc/passwd\">]>";
    auto r = read(bomb + pnml(marked + "<transition id=\"t\"><name><text>&b;&e;</text></name></transition>"
                                       "<arc id=\"a\" source=\"p\" target=\"t\"/>")
                             .substr(21));
    ASSERT_TRUE(r->model) << testing::listing(r->diagnostics);
    EXPECT_EQ(show(*r->model), "initial 0, final, semaphores; <&b;&e;> 0 ->");
    std::string pages;
    for (int i = 0; i < 20000; ++i) pages += "<page id=\"x\">";
    for (int i = 0; i < 20000; ++i) pages += "</page>";
    EXPECT_EQ(faults(pnml(marked + pages)), "T0700 pages nested deeper than 100\n");
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "<x>";
    for (int i = 0; i < 100000; ++i) deep += "</x>";
    EXPECT_EQ(faults(pnml(marked + deep)), "");
}

TEST(pnml_writer, refuses_data_and_interrupts) {
    auto alphabet = std::make_shared<model::Alphabet>();
    expr::SmallWorld world;
    model::NetBuilder builder("n", alphabet, world.pool);
    model::PlaceId p = builder.place();
    builder.initial(p);
    model::Transition t;
    t.label = alphabet->plain("x\n");
    t.from = t.clears = {p};
    t.guard = world.pool->boolean(true);
    builder.transition(t);
    model::Net net = *builder.finish();
    std::string report;
    EXPECT_FALSE(written([&](Conversion& c) { return write_pnml(net, c); }, LossPolicy::allow, &report));
    EXPECT_EQ(
        report,
        "T0804 an event whose name is no text of XML cannot be written in .pnml\n"
        "T0804 1 transition with data; place/transition nets have none\n"
        "T0804 1 transition that interrupt others by clearing their places; place/transition nets cannot say "
        "that\n");
}

TEST(pnml_property, written_nets_read_back) {
    for (std::uint64_t seed = 0; seed < 800; ++seed) {
        SCOPED_TRACE(seed);
        testing::RandomModels random(seed);
        random.without_data();
        model::Net net = random.net();
        auto once = written([&](Conversion& c) { return write_pnml(net, c); });
        ASSERT_TRUE(once);
        auto back = read(*once);
        ASSERT_TRUE(back->model) << *once << testing::listing(back->diagnostics);
        ASSERT_EQ(show(net), show(*back->model));
        ASSERT_EQ(*written([&](Conversion& c) { return write_pnml(*back->model, c); }), *once);
    }
}

TEST(pnml_property, broken_texts_never_crash_and_good_ones_are_stable) {
    std::size_t good = 0;
    for (std::uint32_t seed = 0; seed < 4000; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        testing::RandomModels models(seed % 40);
        models.without_data();
        std::string text = *written([&](Conversion& c) { return write_pnml(models.net(), c); });
        auto r = read(testing::mutated(text, random, "<>/\"=pta01& "));
        ASSERT_EQ(r->model.has_value(), r->diagnostics.ok());
        if (!r->model) continue;
        auto once = written([&](Conversion& c) { return write_pnml(*r->model, c); });
        if (!once) continue;  // a name that is no text of XML
        ++good;
        auto back = read(*once);
        ASSERT_TRUE(back->model) << *once;
        ASSERT_EQ(*written([&](Conversion& c) { return write_pnml(*back->model, c); }), *once);
    }
    EXPECT_GT(good, 300u);
}

}  // namespace
}  // namespace treaty::formats
