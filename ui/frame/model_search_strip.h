// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/strip.h"

namespace cannery::ui {

class ProjectSession;

/// Says above the page that models are being tried for a project that was just made, and offers to
/// skip that. GUI thread.
class ModelSearchStrip : public Strip
{
    Q_OBJECT

public:
    explicit ModelSearchStrip(ProjectSession& session, QWidget* parent = nullptr);

private:
    void refresh();

    ProjectSession* m_session;
};

} // namespace cannery::ui
