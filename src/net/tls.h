// Encrypted streams, by OpenSSL over any other transport.
//
// A tester looks at programs under test, whose certificates are made for the purpose: any is taken unless a
// file of authorities is given. The tester's own, when it listens, comes from files or is made anew for each
// TlsIdentity.
#pragma once

#include "base/result.h"
#include "net/layered.h"

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;
typedef struct bio_st BIO;

namespace treaty::net {

// Our certificate and the authorities that we trust; may be shared by many connections.
class TlsIdentity {
public:
    // A fault if a file cannot be used. Empty names: none.
    static base::Result<std::shared_ptr<TlsIdentity>> client(const std::string& ca);
    static base::Result<std::shared_ptr<TlsIdentity>> server(const std::string& certificate,
                                                             const std::string& key);
    ~TlsIdentity();
    TlsIdentity(const TlsIdentity&) = delete;
    TlsIdentity& operator=(const TlsIdentity&) = delete;

    SSL_CTX* context() const { return context_; }
    bool serves() const { return serves_; }

private:
    TlsIdentity() = default;
    SSL_CTX* context_ = nullptr;
    bool serves_ = false;
};

class Tls final : public Layered {
public:
    // host: the name or number that the server is asked for by, and that its certificate must be for where
    // certificates are checked; may be empty.
    Tls(std::unique_ptr<Transport> below, std::shared_ptr<TlsIdentity> identity, const std::string& host);
    ~Tls() override;

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override;
    bool closed() const override { return closed_; }
    bool flush() override;
    std::size_t unread() const override { return unsent_.size() + Layered::unread(); }
    bool opening() const override;
    std::string fault() const override { return fault_; }

private:
    bool expect(std::string host);
    bool advance();  // the handshake; true when it is done
    bool pass_on();  // what OpenSSL wants sent
    void break_off();
    void shut();

    std::shared_ptr<TlsIdentity> identity_;
    SSL* ssl_ = nullptr;
    BIO* incoming_ = nullptr;  // owned by ssl_
    BIO* outgoing_ = nullptr;
    std::string unsent_;  // until the handshake is done
    std::string buffer_;
    std::string fault_;
    bool closed_ = false;
    bool finished_ = false;
};

}  // namespace treaty::net
