#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "api/codes.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/verbs.h"
#include "workbench/gate.h"
#include "workbench/serve.h"

namespace treaty::cli {
namespace {

// What a hosted demonstration gives each visitor.
constexpr std::chrono::seconds visitor_time{10};
constexpr std::uint64_t visitor_memory = std::uint64_t{512} << 20;
constexpr std::size_t visitor_questions = 2;

struct Words {
    std::string listen = "127.0.0.1:0", certificate, key, page;
    bool no_browser = false;
};

// The working directory will be another one.
std::string absolute(const std::string& path) {
    std::error_code ignored;
    return path.empty() ? path : std::filesystem::absolute(path, ignored).string();
}

// False after reporting what does not go together.
bool read(const Session& session, const Words& words, workbench::ServeOptions& options) {
    auto refuse = [&](std::string what, std::string help) {
        session.report(api::codes::bad_usage, std::move(what)).help(std::move(help));
        return false;
    };
    auto address = net::parse_host_and_port(words.listen, true);
    if (!address)
        return refuse(fmt::format("--listen {}: {}", words.listen, address.error()),
                      "for example 127.0.0.1:8000");
    options.address = *address;
    options.address.encrypted = !words.certificate.empty();
    options.address.certificate = absolute(words.certificate);
    options.address.key = absolute(words.key);
    if (words.certificate.empty() != words.key.empty())
        return refuse("--cert and --key go together", "both are files in PEM format");
    if (!workbench::is_loopback(options.address.host) && words.certificate.empty())
        return refuse(
            fmt::format("--listen {} is reached from other machines, which needs TLS", words.listen),
            "add --cert and --key, or listen on 127.0.0.1");
    if (options.read_only && options.allow_run)
        return refuse("--allow-run and --read-only exclude each other", "a read-only workbench runs nothing");
    if (!words.page.empty()) options.page = absolute(words.page);
    if (options.read_only) options.limits = {visitor_time, visitor_memory, visitor_questions};
    return true;
}

// Opens the page for a person at a desktop; elsewhere the address is enough.
void open_browser(const std::string& url) {
    bool desktop = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
    if (!desktop || isatty(STDOUT_FILENO) != 1) return;
    pid_t child = fork();
    if (child != 0) return;
    // Its messages are not ours. Only calls that are safe after a fork.
    execlp("xdg-open", "xdg-open", url.c_str(), nullptr);
    _exit(127);
}

}  // namespace

int verb_serve(Arguments arguments) {
    Session session("serve");
    CommandLine line(session);
    workbench::ServeOptions options;
    Words words;
    std::string folder = ".";
    line.positional("DIR", folder, "the folder whose files are shown (default: this one)", Needed::no);
    line.option("--listen", "HOST:PORT", words.listen,
                "where to listen (default: 127.0.0.1 and a free port)");
    line.option("--cert", "FILE", words.certificate,
                "certificate, for addresses that other machines can reach");
    line.option("--key", "FILE", words.key, "the key of the certificate");
    line.option("--host", "NAME", options.hosts, "another name under which the server is known; repeatable");
    line.option("--token", "TEXT", options.token, "the token of the address (default: a new one each time)");
    line.flag("--allow-run", options.allow_run, "allow the page to run commands: programs under test");
    line.flag("--read-only", options.read_only,
              "write nothing and run nothing, with limits for each visitor");
    line.flag("--no-browser", words.no_browser, "do not open a browser");
    line.option("--page", "DIR", words.page, "take the files of the page from this folder");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {folder};
    if (!read(session, words, options)) return session.finish();
    if (chdir(folder.c_str()) != 0) {
        session.report(api::codes::bad_usage,
                       fmt::format("cannot open {}: {}", folder, std::strerror(errno)));
        return session.finish();
    }
    options.folder = std::string(1, '.');  // GCC 12 takes the literal for one of any length
    options.stop = interrupt().token();
    auto served = workbench::serve(options, [&](const std::string& url) {
        fmt::print("the workbench is at {}\n", url);
        std::fflush(stdout);
        if (!words.no_browser) open_browser(url);
    });
    if (served) return 0;
    session.environment_failed(api::codes::component_failed, served.error());
    return session.finish();
}

}  // namespace treaty::cli
