// Runs one fuzz target over its corpus and over seeded mutations of it, without libFuzzer.
//
//   NAME_replay CORPUS-FOLDER [MUTATIONS [SEED]]      the test: every file, then so many mutations of them
//   NAME_replay FILE                                  one input, to look at a failure again
//
// The same arguments give the same inputs, on any machine. When the target crashes or takes longer than the
// limit below, the input is written to NAME_failure.bin in the current folder and its name is printed.
// TREATY_TEST_SCALE=20 makes twenty times as many mutations.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace {

constexpr unsigned seconds_per_input = 20;
constexpr std::size_t longest_input = 1 << 16;

// What is running now; read by the handlers below, which may run in any state.
const std::string* current = nullptr;
std::string failure_name;

// Writes the current input where it can be looked at; only calls that are allowed in a signal handler.
void save_current() {
    if (current == nullptr) return;
    const int file = ::open(failure_name.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (file >= 0) {
        [[maybe_unused]] const ssize_t written = ::write(file, current->data(), current->size());
        ::close(file);
    }
    constexpr std::string_view note = "\nreplay: the input that failed is in ";
    [[maybe_unused]] ssize_t said = ::write(2, note.data(), note.size());
    said = ::write(2, failure_name.data(), failure_name.size());
    said = ::write(2, "\n", 1);
    current = nullptr;
}

void on_signal(int signal) {
    save_current();
    std::signal(signal, SIG_DFL);
    ::raise(signal);
}

void on_alarm(int) {
    constexpr std::string_view note = "replay: one input takes too long\n";
    [[maybe_unused]] const ssize_t said = ::write(2, note.data(), note.size());
    save_current();
    ::_exit(1);
}

void run(const std::string& input) {
    current = &input;
    ::alarm(seconds_per_input);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    ::alarm(0);
    current = nullptr;
}

std::string read_all(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Changes an input in one of the ways that break parsers. Tokens come from the corpus itself: a word of one
// file put into another is a better guess than a random byte.
class Mutator {
public:
    Mutator(const std::vector<std::string>& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

    std::string next() {
        std::string text = pick(corpus_);
        const std::uint64_t times = 1 + below(4);
        for (std::uint64_t i = 0; i < times; ++i) change(text);
        if (text.size() > longest_input) text.resize(longest_input);
        return text;
    }

private:
    // Not std::uniform_int_distribution: its results differ between libraries.
    std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }

    const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

    std::string word() {
        const std::string& text = pick(corpus_);
        if (text.empty()) return "x";
        const std::size_t at = below(text.size());
        return text.substr(at, 1 + below(12));
    }

    void change(std::string& text) {
        static constexpr std::array<std::string_view, 12> nasty{
            "\0", "\xff", "\xc3\x28", "\xef\xbb\xbf", "99999999999999999999", "-1", "\"", "{{{{{{{{", "}}}}",
            "/*", "\\",   "\r"};
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
        switch (below(8)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(below(256));
                break;
            case 1: text.erase(at, length); break;
            case 2: text.insert(at, word()); break;
            case 3: text.insert(at, text.substr(at, length)); break;
            case 4: text.insert(at, nasty[below(nasty.size())]); break;
            case 5: text.resize(at); break;
            case 6: text = text.substr(0, at) + suffix(pick(corpus_)); break;
            default: repeat(text, at, length); break;
        }
    }

    std::string suffix(const std::string& text) { return text.substr(below(text.size() + 1)); }

    void repeat(std::string& text, std::size_t at, std::size_t length) {
        const std::string part = text.substr(at, length);
        std::string many;
        for (std::uint64_t i = below(60); i > 0; --i) many += part;
        text.insert(at, many);
    }

    const std::vector<std::string>& corpus_;
    std::mt19937_64 random_;
};

int run_folder(const std::filesystem::path& folder, std::uint64_t mutations, std::uint64_t seed) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (files.empty()) {
        std::fprintf(stderr, "replay: %s holds no file\n", folder.c_str());
        return 1;
    }
    std::vector<std::string> corpus;
    for (const auto& file : files) {
        corpus.push_back(read_all(file));
        run(corpus.back());
    }
    std::printf("replay: %zu files, %llu mutations, seed %llu\n", corpus.size(),
                static_cast<unsigned long long>(mutations), static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    Mutator mutator(corpus, seed);
    for (std::uint64_t i = 0; i < mutations; ++i) run(mutator.next());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CORPUS-FOLDER|FILE [MUTATIONS [SEED]]\n", argv[0]);
        return 2;
    }
    failure_name = std::filesystem::path(argv[0]).filename().string() + "_failure.bin";
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL}) std::signal(signal, on_signal);
    std::signal(SIGALRM, on_alarm);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(save_current);
#endif
    const std::filesystem::path what = argv[1];
    if (!std::filesystem::is_directory(what)) {
        run(read_all(what));
        return 0;
    }
    const char* scale = std::getenv("TREATY_TEST_SCALE");
    const std::uint64_t factor =
        scale == nullptr ? 1 : std::max<std::uint64_t>(1, std::strtoull(scale, nullptr, 10));
    const std::uint64_t mutations = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5000;
    const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    return run_folder(what, mutations * factor, seed);
}
