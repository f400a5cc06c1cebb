// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>

class QWidget;

namespace cannery::ui {

class Toast;

/// Shows one line at the bottom of the window for six seconds, optionally with Undo. Only for
/// something that the user did and can undo, never for success. A new toast replaces the old one.
class Toaster : public QObject
{
    Q_OBJECT

public:
    /// `host`: the window's content, above which toasts are shown.
    explicit Toaster(QWidget* host);
    ~Toaster() override;

    void show(const QString& text, const QString& undoText = {},
              const std::function<void()>& undo = {});
    void hide();
    /// The current text; empty if there is none.
    QString text() const;
    /// Acts as if the user had clicked Undo.
    void undo();

private:
    QPointer<QWidget> m_host;
    QPointer<Toast> m_toast;
};

} // namespace cannery::ui
