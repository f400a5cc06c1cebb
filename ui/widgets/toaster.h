// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>

class QWidget;

namespace cannery::ui {

class Toast;

/// Shows one line at the bottom of the window for six seconds, perhaps with Undo. Only for
/// something a person did and can take back; never for success. A new toast replaces the old one.
class Toaster : public QObject
{
    Q_OBJECT

public:
    /// `host`: the window's content, over which toasts stand.
    explicit Toaster(QWidget* host);
    ~Toaster() override;

    void show(const QString& text, const QString& undoText = {},
              const std::function<void()>& undo = {});
    void hide();
    /// What is shown now; empty: nothing.
    QString text() const;
    /// As if the person had pressed Undo.
    void undo();

private:
    QPointer<QWidget> m_host;
    QPointer<Toast> m_toast;
};

} // namespace cannery::ui
