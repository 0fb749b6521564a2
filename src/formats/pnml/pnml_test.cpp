#include "formats/pnml/pnml.h"

#include <gtest/gtest.h>

#include "formats/testing/random_models.h"
#include "formats/testing/reading.h"

namespace treaty::formats::pnml_test {
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
    for (const model::Place& p : net.places())
        if (!p.name.empty()) out += fmt::format(", {}", p.name);
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
    EXPECT_EQ(show(*r->model),
              "initial 0, final 1, semaphores, p, q; <u> 1 ->; <tau> 1 ->; <go & see> 0 -> 1");
    EXPECT_EQ(r->model->name(), "n");
}

// Several tokens on a place, weights, arcs side by side, names that are not ids, a prefix for the namespace,
// and numbers as PIPE writes them.
TEST(pnml_reader, tokens_are_counted) {
    auto r = read(
        "<p:pnml xmlns:p=\"http://www.pnml.org/version-2009/grammar/pnml\"><p:net id=\"n\" "
        "type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><p:page id=\"g\">"
        "<p:place id=\"place_17\"><p:name><p:text>free</p:text></p:name><p:initialMarking><p:text>3</p:text>"
        "</p:initialMarking></p:place>"
        "<p:place id=\"q\"><p:toolspecific tool=\"other\" version=\"1\"><final/></p:toolspecific></p:place>"
        "<p:transition id=\"t\"/></p:page><p:page id=\"h\">"
        "<p:arc id=\"a\" source=\"place_17\" target=\"t\" type=\"normal\"><p:inscription><p:value>Default,2"
        "</p:value></p:inscription></p:arc>"
        "<p:arc id=\"b\" source=\"t\" target=\"q\"/><p:arc id=\"c\" source=\"t\" target=\"q\"/>"
        "</p:page><p:finalmarkings><p:marking><p:place idref=\"q\"><p:text>4</p:text></p:place></p:marking>"
        "</p:finalmarkings></p:net></p:pnml>");
    ASSERT_TRUE(r->model) << testing::listing(r->diagnostics);
    EXPECT_EQ(show(*r->model), "initial 0 0 0, final 1 1 1 1, semaphores, free, q; <t> 0 0 -> 1 1");
}

TEST(pnml_reader, arcs_of_other_kinds_are_named) {
    std::string before = marked + "<transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/>";
    for (std::string kind : {"inhibitor", "reset", "read", "test"}) {
        std::string wanted = fmt::format("T0692 arcs of type `{}` are not supported\n", kind);
        for (std::string form : {" type=\"{}\"/>", " arcType=\"{}\"/>", "><type value=\"{}\"/></arc>",
                                 "><arctype><text>{}</text></arctype></arc>", "><type>{}</type></arc>"}) {
            std::string arc = "<arc id=\"b\" source=\"p\" target=\"t\"";
            EXPECT_EQ(faults(pnml(before + arc + fmt::format(fmt::runtime(form), kind))), wanted) << form;
        }
    }
}

TEST(pnml_reader, each_fault_has_its_message) {
    EXPECT_EQ(faults("<pnml"), "T0690 Error parsing start element tag\n");
    EXPECT_EQ(faults(""), "T0690 No document element found\n");
    EXPECT_EQ(faults("<a/>"), "T0691 this file contains no net\n");
    EXPECT_EQ(faults("<pnml><net id=\"a\"/><net id=\"b\"/></pnml>"), "T0691 a second net in one file\n");
    EXPECT_EQ(
        faults(pnml(marked, "http://www.pnml.org/version-2009/grammar/symmetricnet")),
        "T0692 nets of type `http://www.pnml.org/version-2009/grammar/symmetricnet` are not supported\n");
    EXPECT_EQ(faults(pnml(marked + "<place/>")), "T0693 this place has no id\n");
    EXPECT_EQ(faults(pnml(marked + marked)), "T0693 a second `p`\n");
    std::string t = "<transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/>";
    EXPECT_EQ(faults(pnml(marked + t)), "");
    EXPECT_EQ(faults(pnml(marked + t + "<arc id=\"b\" source=\"t\" target=\"x\"/>")),
              "T0694 the target `x` of this arc is unknown\n");
    EXPECT_EQ(faults(pnml(marked + t + "<arc id=\"b\" source=\"t\" target=\"t\"/>")),
              "T0695 an arc joins a place and a transition\n");
    EXPECT_EQ(faults(pnml(marked + t + "<arc id=\"b\" source=\"p\" target=\"t\"/>")), "");
    for (std::string weight : {"0", "-1", "x", "", "2 3", "1000001", "99999999999999999999"}) {
        EXPECT_EQ(faults(pnml(marked + t + "<arc id=\"b\" source=\"t\" target=\"p\"><inscription><text>" +
                              weight + "</text></inscription></arc>")),
                  "T0696 an arc takes or puts 1 to 1000000 tokens\n")
            << weight;
        if (weight == "0") continue;
        EXPECT_EQ(faults(pnml("<place id=\"p\"><initialMarking><text>" + weight +
                              "</text></initialMarking></place>")),
                  "T0696 a place holds 0 to 1000000 tokens\n")
            << weight;
    }
    std::string crowd;
    for (int i = 0; i < 11; ++i)
        crowd +=
            fmt::format("<place id=\"c{}\"><initialMarking><text>1000000</text></initialMarking></place>", i);
    EXPECT_EQ(faults(pnml(crowd)),
              "T0700 the markings of this net have more than 10000000 tokens in total\n");
    std::string heavy = marked + "<transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/>";
    for (int i = 0; i < 11; ++i)
        heavy +=
            "<arc id=\"b\" source=\"t\" target=\"p\"><inscription><text>1000000</text></inscription></arc>";
    EXPECT_EQ(faults(pnml(heavy)), "T0700 the arcs of this net have more than 10000000 tokens in total\n");
    EXPECT_EQ(faults(pnml("<place id=\"p\"><hlinitialMarking/></place>")),
              "T0692 nets with coloured tokens are not supported\n");
    EXPECT_EQ(faults(pnml("<place id=\"p\"><capacity><value>1</value></capacity></place>")),
              "T0692 places with a capacity are not supported\n");
    EXPECT_EQ(faults(pnml("<place id=\"p\"><initialMarking><text>2</text></initialMarking><capacity><value>0"
                          "</value></capacity></place>")),
              "");
    EXPECT_EQ(faults(pnml(marked + "<transition id=\"t\"/>")), "T0697 this transition takes from no place\n");
    EXPECT_EQ(faults(pnml("<place id=\"p\"/>")), "T0698 no place of this net is marked at the start\n");
    EXPECT_EQ(
        faults(pnml(marked + "<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" ref=\"r\"/>")),
        "T0694 `s` is not a place of this file\nT0694 `r` is not a place of this file\n");
    std::string event =
        "<transition id=\"t\"><toolspecific tool=\"treaty\" version=\"1\"><event kind=\"{}\" from=\"A\" "
        "to=\"A\" message=\"m\"/></toolspecific></transition><arc id=\"a\" source=\"p\" target=\"t\"/>";
    EXPECT_EQ(faults(pnml(marked + fmt::format(fmt::runtime(event), "x"))),
              "T0699 unknown kind of event `x`\n");
    EXPECT_EQ(faults(pnml(marked + fmt::format(fmt::runtime(event), "send"))),
              "T0699 sender and receiver of an event must be different roles\n");
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
    EXPECT_EQ(show(*r->model), "initial 0, final, semaphores, p; <&b;&e;> 0 ->");
    std::string pages;
    for (int i = 0; i < 20000; ++i) pages += "<page id=\"x\">";
    for (int i = 0; i < 20000; ++i) pages += "</page>";
    EXPECT_EQ(faults(pnml(marked + pages)), "T0700 pages are nested deeper than 100\n");
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
        "T0804 the name of an event contains characters that XML does not allow\n"
        "T0804 1 transition with data, which place/transition nets cannot express\n"
        "T0804 1 transition that interrupt others by clearing their places, which place/transition nets "
        "cannot express\n");
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
        if (!once) continue;  // a name that XML cannot hold
        ++good;
        auto back = read(*once);
        ASSERT_TRUE(back->model) << *once;
        ASSERT_EQ(*written([&](Conversion& c) { return write_pnml(*back->model, c); }), *once);
    }
    EXPECT_GT(good, 300u);
}

}  // namespace
}  // namespace treaty::formats::pnml_test
