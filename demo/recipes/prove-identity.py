import hashlib, hmac, time

def prove_identity(secret, contact, account="", expires_in=3600):
    issued = int(time.time())
    members = [contact, account, str(issued), str(issued + expires_in)]
    message = b"".join(b"%d:%s" % (len(member.encode()), member.encode()) for member in members)
    signature = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
    return f"1.{issued}.{issued + expires_in}.{signature}"
