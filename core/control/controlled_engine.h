// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::control {

/// What clients may ask of an engine. Called on threads of the server, several at once; every call
/// records the request and returns at once.
class ControlledEngine
{
public:
    virtual ~ControlledEngine() = default;

    virtual void pause() = 0;
    virtual void resume() = 0;
    virtual void stopAndKeep() = 0;
    virtual void stopWithoutSaving() = 0;
    virtual void checkpointNow() = 0;
};

} // namespace cannery::control
