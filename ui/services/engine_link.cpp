// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/engine_link.h"

#include <utility>

namespace cannery::ui {
namespace {

class LocalEngineLink : public EngineLink
{
public:
    explicit LocalEngineLink(control::ControlClient client) : m_client(std::move(client)) {}

    Result<void> call(Call what) override
    {
        switch (what) {
        case Call::Pause:
            return m_client.pause();
        case Call::Resume:
            return m_client.resume();
        case Call::StopAndKeep:
            return m_client.stopAndKeep();
        case Call::StopWithoutSaving:
            return m_client.stopWithoutSaving();
        case Call::CheckpointNow:
            return m_client.checkpointNow();
        }
        return {};
    }
    Result<void> watch(const std::function<void(const control::EngineEvent&)>& listener) override
    {
        return m_client.watch(listener);
    }
    void cancelWatch() override { m_client.cancelWatch(); }

private:
    control::ControlClient m_client;
};

} // namespace

Result<std::unique_ptr<EngineLink>> LocalEngineLinks::connect(const std::string& runFolder)
{
    CANNERY_TRY_ASSIGN(control::ControlClient client, control::ControlClient::connect(runFolder));
    return std::make_unique<LocalEngineLink>(std::move(client));
}

} // namespace cannery::ui
