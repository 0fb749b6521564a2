#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include <array>

namespace treaty::net {
namespace {

std::string last_error() {
    unsigned long code = ERR_get_error();
    ERR_clear_error();
    const char* reason = code ? ERR_reason_error_string(code) : nullptr;
    return reason ? reason : "no reason is given";
}

void add_extension(X509* certificate, int kind, const char* text) {
    X509_EXTENSION* one = X509V3_EXT_conf_nid(nullptr, nullptr, kind, text);
    if (!one) return;
    X509_add_ext(certificate, one, -1);
    X509_EXTENSION_free(one);
}

// A key and a certificate for this machine, signed by itself, good for a day around now.
bool make_certificate(SSL_CTX* context) {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    bool made = key && certificate;
    if (made) {
        X509_set_version(certificate, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
        X509_gmtime_adj(X509_getm_notBefore(certificate), -86'400);
        X509_gmtime_adj(X509_getm_notAfter(certificate), 86'400);
        X509_set_pubkey(certificate, key);
        X509_NAME* name = X509_get_subject_name(certificate);
        const auto* text = reinterpret_cast<const unsigned char*>("localhost");
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
        X509_set_issuer_name(certificate, name);
        add_extension(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
        made = X509_sign(certificate, key, EVP_sha256()) > 0 &&
               SSL_CTX_use_certificate(context, certificate) == 1 &&
               SSL_CTX_use_PrivateKey(context, key) == 1;
    }
    X509_free(certificate);
    EVP_PKEY_free(key);
    return made;
}

}  // namespace

base::Result<std::shared_ptr<TlsIdentity>> TlsIdentity::client(const std::string& ca) {
    std::shared_ptr<TlsIdentity> identity(new TlsIdentity());
    identity->context_ = SSL_CTX_new(TLS_client_method());
    if (!identity->context_) return base::Fault{last_error()};
    if (ca.empty()) return identity;
    if (SSL_CTX_load_verify_file(identity->context_, ca.c_str()) != 1)
        return base::Fault{ca + ": " + last_error()};
    SSL_CTX_set_verify(identity->context_, SSL_VERIFY_PEER, nullptr);
    return identity;
}

base::Result<std::shared_ptr<TlsIdentity>> TlsIdentity::server(const std::string& certificate,
                                                               const std::string& key) {
    std::shared_ptr<TlsIdentity> identity(new TlsIdentity());
    identity->serves_ = true;
    identity->context_ = SSL_CTX_new(TLS_server_method());
    SSL_CTX* context = identity->context_;
    bool ready =
        context &&
        (certificate.empty() ? make_certificate(context)
                             : SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) == 1 &&
                                   SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) == 1);
    if (ready) return identity;
    return base::Fault{(certificate.empty() ? "cannot create a certificate: " : certificate + ": ") +
                       last_error()};
}

TlsIdentity::~TlsIdentity() {
    SSL_CTX_free(context_);
}

Tls::Tls(std::unique_ptr<Transport> lower, std::shared_ptr<TlsIdentity> identity, const std::string& host)
    : Layered(std::move(lower)),
      identity_(std::move(identity)),
      ssl_(SSL_new(identity_->context())),
      incoming_(BIO_new(BIO_s_mem())),
      outgoing_(BIO_new(BIO_s_mem())) {
    SSL_set_bio(ssl_, incoming_, outgoing_);
    if (identity_->serves()) {
        SSL_set_accept_state(ssl_);
    } else {
        SSL_set_connect_state(ssl_);
        // A host that cannot be verified by its name is refused: it could be any host.
        if (!host.empty() && !expect(host)) {
            break_off();
            return;
        }
    }
    advance();
}

bool Tls::expect(std::string host) {
    host = host.substr(0, host.find('%'));  // the zone of an address has a meaning only on this machine
    std::array<unsigned char, 16> number{};
    if (inet_pton(AF_INET, host.c_str(), number.data()) == 1 ||
        inet_pton(AF_INET6, host.c_str(), number.data()) == 1)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), host.c_str()) == 1;
    // SSL_set_tlsext_host_name, without its cast
    SSL_ctrl(ssl_, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data());
    return SSL_set1_host(ssl_, host.c_str()) == 1;
}

Tls::~Tls() {
    SSL_free(ssl_);
}

bool Tls::opening() const {
    return !closed_ && !SSL_is_init_finished(ssl_);
}

void Tls::break_off() {
    closed_ = true;
    fault_ = "TLS: " + last_error();
    pass_on();  // the alert for this
}

bool Tls::pass_on() {
    std::array<char, 16384> part;
    for (int n; (n = BIO_read(outgoing_, part.data(), part.size())) > 0;)
        if (!below().send({part.data(), static_cast<std::size_t>(n)})) return false;
    return true;
}

bool Tls::advance() {
    if (SSL_is_init_finished(ssl_)) return true;
    ERR_clear_error();
    int result = SSL_do_handshake(ssl_);
    int why = SSL_get_error(ssl_, result);
    if (result != 1 && why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
        break_off();
        return false;
    }
    pass_on();
    return result == 1;
}

bool Tls::send(std::string_view bytes) {
    // A peer that has sent everything may still receive.
    if (!fault_.empty() || finished_ || unsent_.size() + bytes.size() > most_unsent) return false;
    unsent_ += bytes;
    return flush();
}

bool Tls::flush() {
    if (!unsent_.empty() && advance()) {
        std::size_t written = 0;
        // Into memory: it takes everything at once.
        if (SSL_write_ex(ssl_, unsent_.data(), unsent_.size(), &written) != 1) {
            break_off();
            return false;
        }
        unsent_.clear();
        if (!pass_on()) return false;
        if (finished_) shut();
    }
    return below().flush();
}

// What was decrypted before comes first: a reader that is slow must not fill the memory with what is not read
// yet.
std::optional<std::string_view> Tls::receive() {
    bool was_open = !opening();
    while (!closed_) {
        if (was_open) {
            buffer_.resize(std::size_t{1} << 16);
            std::size_t read = 0;
            ERR_clear_error();
            if (SSL_read_ex(ssl_, buffer_.data(), buffer_.size(), &read) == 1) {
                pass_on();
                return std::string_view(buffer_).substr(0, read);
            }
            int why = SSL_get_error(ssl_, 0);
            if (why == SSL_ERROR_ZERO_RETURN)
                closed_ = true;
            else if (why == SSL_ERROR_SSL)
                break_off();
            pass_on();
        }
        auto came = closed_ ? std::nullopt : below().receive();
        if (!came) break;
        BIO_write(incoming_, came->data(), static_cast<int>(came->size()));
        if (advance() && !unsent_.empty()) flush();
        if (!was_open && !opening()) return std::nullopt;  // opened now; the next call reads
    }
    if (below().closed() && !closed_) {
        closed_ = true;
        if (!SSL_is_init_finished(ssl_)) fault_ = "TLS: the connection was closed during the handshake";
    }
    return std::nullopt;
}

void Tls::finish() {
    if (finished_) return;
    finished_ = true;
    if (unsent_.empty()) shut();  // else flush() does it
}

void Tls::shut() {
    if (SSL_is_init_finished(ssl_)) SSL_shutdown(ssl_);
    pass_on();
    below().finish();
}

}  // namespace treaty::net
