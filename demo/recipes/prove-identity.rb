require "openssl"

def prove_identity(secret, contact, account = "", expires_in = 3600)
  issued = Time.now.to_i
  message = [contact, account, issued.to_s, (issued + expires_in).to_s].map { |member| "#{member.bytesize}:#{member}" }.join
  "1.#{issued}.#{issued + expires_in}.#{OpenSSL::HMAC.hexdigest("SHA256", secret, message)}"
end
