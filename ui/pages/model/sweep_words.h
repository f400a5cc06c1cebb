// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/label.h"

namespace cannery::ui {

class DocumentQuery;
class ProjectSession;

/// How many runs the experiment's sweep makes, or why it makes none; below its form. Asks while it
/// is shown. GUI thread.
class SweepWords : public Label
{
    Q_OBJECT

public:
    explicit SweepWords(ProjectSession& session, QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    bool hasSweep() const;
    void follow();
    void refresh();

    ProjectSession* m_session;
    DocumentQuery* m_query;
};

} // namespace cannery::ui
