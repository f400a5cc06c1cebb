// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>

#include <functional>
#include <memory>

namespace cannery::ui {

/// One window per project: the first one listens on a socket in the user's runtime folder, a second
/// one passes its request to the first and gives up. GUI thread; nothing blocks.
class SingleInstance : public QObject
{
    Q_OBJECT

public:
    explicit SingleInstance(QObject* parent = nullptr);
    ~SingleInstance() override;

    /// Claims a project's folder, a path without links (it replaces an earlier claim once it
    /// holds). `answer(true)`: it is ours; `answer(false)`: another window has it and was asked to
    /// come to the front with `request` (a path to show).
    void claim(const QString& folder, const QString& request, std::function<void(bool)> answer);
    void release();
    QString folder() const;

Q_SIGNALS:
    /// Another start of the program wants this window in front.
    void raiseRequested(const QString& request);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
