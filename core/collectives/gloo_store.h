// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/collectives/gloo_communicator.h"

#include <gloo/rendezvous/store.h>

#include <exception>
#include <string>
#include <vector>

namespace cannery::collectives {

/// An error of the store, on its way through Gloo.
struct StoreFailure : std::exception
{
    explicit StoreFailure(Error reason) : error(std::move(reason)) {}
    const char* what() const noexcept override { return error.sentence.c_str(); }
    Error error;
};

/// Our store, as Gloo asks it. Throws StoreFailure.
class GlooStore : public gloo::rendezvous::Store
{
public:
    explicit GlooStore(const GlooOptions& options) : m_options(options) {}

    void set(const std::string& key, const std::vector<char>& data) override;
    std::vector<char> get(const std::string& key) override;
    void wait(const std::vector<std::string>& keys) override;
    void wait(const std::vector<std::string>& keys,
              const std::chrono::milliseconds& timeout) override;

private:
    std::string named(const std::string& key) const { return m_options.prefix + "/" + key; }
    std::vector<char> value(const std::string& key, std::chrono::milliseconds timeout);

    const GlooOptions& m_options;
};

} // namespace cannery::collectives
